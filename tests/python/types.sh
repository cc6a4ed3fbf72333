#!/usr/bin/env bash
# types.sh FOLDER: the package is typed, as strictly as mypy can check it.
set -euo pipefail
if ! [ -x /usr/bin/mypy ]; then
  echo "skipped: there is no mypy; scripts/setup --tests installs it"
  exit 77
fi
cd "$1"
/usr/bin/mypy --config-file pyproject.toml --cache-dir /dev/null
