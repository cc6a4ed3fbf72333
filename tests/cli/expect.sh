# For the scripts of this folder: source it with "$@" = KREPLAY PROGRAM CODE_OBJECT.
kreplay=$1 program=$2
export E2E_CODE_OBJECT=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
# expect STATUS TEXT COMMAND...: the command ends with that status and its output has the text
expect() {
  local want=$1 text=$2 got=0
  shift 2
  "$@" >"$folder/out" 2>&1 || got=$?
  if [ "$got" -ne "$want" ] || { [ -n "$text" ] && ! grep -qF -- "$text" "$folder/out"; }; then
    echo "FAILED: $* -> status $got (want $want), output without \"$text\":"
    cat "$folder/out"
    failed=1
  fi
}
# same WANT GOT WHAT
same() {
  [ "$1" = "$2" ] && return
  echo "FAILED: $3: \"$2\" instead of \"$1\""
  failed=1
}
