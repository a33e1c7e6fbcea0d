#!/usr/bin/env bash
# check_style: clang-format|ruff [PROGRAM [--fix]] over the files of this checkout. Exit code 77: no such program here.
set -euo pipefail
tool=$1 program=${2:-}
# CMake may have looked before the set-up brought the program.
[[ -x $program || ! -x .venv/bin/$tool ]] || program=.venv/bin/$tool
if [[ -z $program || $program == *-NOTFOUND ]] ; then
  echo "skipped: there is no $tool here; pip install -r requirements-style.txt brings it"
  exit 77
fi

# The files that git tracks; without git, all files outside the build trees.
files() {
  git ls-files -z -- "$@" 2>/dev/null && return
  local name names=()
  for name in "$@"; do names+=(-o -name "$name"); done
  find . \( -path './build*' -o -path ./.venv \) -prune -o -type f \( "${names[@]:1}" \) -print0
}

case $tool in
  clang-format)
    if ! "$program" --version | grep -q 'version 14\.'; then
      echo "skipped: $program is $("$program" --version); version 14 is needed"
      exit 77
    fi
    mode=(--dry-run -Werror)
    [[ ${3:-} == --fix ]] && mode=(-i)
    files '*.h' '*.cc' '*.cu' '*.cuh' | xargs -0 --no-run-if-empty "$program" "${mode[@]}"
    ;;
  ruff)
    "$program" check --no-cache .
    ;;
esac
