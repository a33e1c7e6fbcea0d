#!/usr/bin/env bash
# setup.sh: Gradescope runs this once, as root, when it makes the image of an assignment: Ubuntu 22.04, 24.04 or Debian 12.
# It installs what ./lab needs to start. ./lab then installs the rest and builds the judge.
set -euo pipefail
autograder=${WARPLADDER_AUTOGRADER:-/autograder}
course=$autograder/source/course
export DEBIAN_FRONTEND=noninteractive

at_least() { [[ $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$1" ]]; }

apt-get update -q
apt-get install -y -q --no-install-recommends ca-certificates python3 python3-venv cmake g++ bubblewrap util-linux

# Ubuntu 22.04's own versions are too old.
python=python3
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  apt-get install -y -q --no-install-recommends python3.11 python3.11-venv
  python=python3.11
fi
if ! at_least 3.25 "$(cmake --version | grep -o '[0-9][0-9.]*' | head -n 1)"; then
  $python -m venv "$autograder/tools"
  "$autograder/tools/bin/pip" install -q --require-hashes --only-binary :all: -r "$autograder/source/requirements-cmake.txt"
  PATH=$autograder/tools/bin:$PATH
fi
if ! at_least 12 "$(g++ -dumpversion)"; then
  apt-get install -y -q --no-install-recommends g++-12
  for name in g++ gcc; do update-alternatives --install /usr/bin/$name $name /usr/bin/$name-12 100; done
  update-alternatives --install /usr/bin/c++ c++ /usr/bin/g++-12 100
fi

# The judge, and so each submission, runs as a user who cannot write to these folders. Only root can read hidden cases.
id warpladder >/dev/null 2>&1 || useradd --system --no-create-home --shell /usr/sbin/nologin warpladder
[[ ! -e $autograder/source/hidden ]] || chmod 600 "$autograder/source/hidden"

"$course/lab" gradescope --set-up "$autograder"
