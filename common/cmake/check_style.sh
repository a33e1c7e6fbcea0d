#!/usr/bin/env bash
# check_style: clang-format|ruff [PROGRAM] over the files of this checkout. Exit code 77: the program is not here.
set -euo pipefail
tool=$1 program=${2:-}
if [[ -z $program || $program == *-NOTFOUND ]] ; then
  echo "skipped: there is no $tool here; pip install -r requirements.txt brings it"
  exit 77
fi

# What git tracks, or everything outside the build trees where this is no clone.
files() { git ls-files -z -- "$@" 2>/dev/null || find . -path './build*' -prune -o -path ./.venv -prune -o -name "${1##*/}" -print0; }

case $tool in
  clang-format)
    if ! "$program" --version | grep -q 'version 14\.'; then
      echo "skipped: $program is $("$program" --version); version 14 is needed"
      exit 77
    fi
    { files '*.h'; files '*.cc'; files '*.cu'; files '*.cuh'; } | xargs -0 --no-run-if-empty "$program" --dry-run -Werror
    ;;
  ruff)
    "$program" check --no-cache .
    "$program" format --no-cache --check .
    ;;
esac
