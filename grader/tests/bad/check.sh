#!/bin/sh
# check.sh JUDGE BUILD_JSON FILE CHECK: the judge fails FILE by CHECK, says what to do next, and leaves no file and no
# process behind.
set -u
judge=$1 build=$2 file=$3 check=$4
TMPDIR=$(mktemp -d) || exit 1
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
# Every process that the judge starts inherits this variable, and shows it in /proc.
export WARPLADDER_TRIAL="trial-$$"

text=$("$judge" --lab "$(dirname "$0")/99_bad" --build "$build" --file "$file" --seed 1 --expect "$check")
code=$?
echo "$text"
[ $code -eq 0 ] || exit 1
echo "$text" | grep -qE '^  next|^ +Next: ' || { echo "no next step is named"; exit 1; }
[ -z "$(ls -A "$TMPDIR")" ] || { echo "left behind:"; ls -A "$TMPDIR"; exit 1; }
for process in /proc/[0-9]*; do
  [ "$process" = "/proc/$$" ] && continue
  case $(readlink "$process/exe" 2>/dev/null) in
    */submission*) tr '\0' '\n' 2>/dev/null <"$process/environ" | grep -q "^WARPLADDER_TRIAL=trial-$$\$" &&
      { echo "a process was left behind: $process"; exit 1; } ;;
  esac
done
exit 0
