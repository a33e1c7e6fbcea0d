#!/usr/bin/env bash
# setup.sh: Gradescope runs this once, as root, when it makes the image of an assignment: Ubuntu 22.04, 24.04 or Debian 12.
# It brings what ./lab needs to begin with; ./lab then installs the rest and builds what grades.
set -euo pipefail
autograder=${WARPLADDER_AUTOGRADER:-/autograder}
course=$autograder/source/course
export DEBIAN_FRONTEND=noninteractive

at_least() { [[ $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$1" ]]; }

apt-get update -q
apt-get install -y -q --no-install-recommends ca-certificates python3 python3-venv cmake g++ bubblewrap util-linux

# What Ubuntu 22.04 has by these names is too old.
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

# The judge, and so what is handed in, runs as a user who may write nowhere in here; hidden cases are for root to read.
id warpladder >/dev/null 2>&1 || useradd --system --no-create-home --shell /usr/sbin/nologin warpladder
[[ ! -e $autograder/source/hidden ]] || chmod 600 "$autograder/source/hidden"

"$course/lab" gradescope --set-up "$autograder"
