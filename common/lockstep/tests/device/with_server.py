"""with_server: runs a program with its device in a process of its own, as the judge does.

usage: with_server.py DEVICE_SERVER PROGRAM [ARGUMENT ...]; the environment is the server's, too. The exit code is the
program's, or the server's if that is not 0.
"""

import os
import socket
import subprocess
import sys


def main() -> int:
    server_program, *command = sys.argv[1:]
    ours, theirs = socket.socketpair()
    environment = {name: value for name, value in os.environ.items() if name != "LOCKSTEP_REPORT"}
    with ours, theirs:
        server = subprocess.Popen([server_program, str(theirs.fileno())], pass_fds=[theirs.fileno()])
        theirs.close()
        device = {"LOCKSTEP_DEVICE": f"fd:{ours.fileno()}"}
        code = subprocess.run(command, pass_fds=[ours.fileno()], env=environment | device, check=False).returncode
    return code or server.wait()


if __name__ == "__main__":
    sys.exit(main())
