#!/usr/bin/env bash
# with_pandas.sh PYTHON FOLDER SCRIPT [argument...]: runs a script that imports from the folder, where there is pandas.
set -euo pipefail
python=$1 folder=$2
shift 2
if ! "$python" -c 'import pandas' 2>/dev/null; then
  echo "skipped: $python has no pandas; scripts/setup --tests installs python3-pandas"
  exit 77
fi
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$folder exec "$python" "$@"
