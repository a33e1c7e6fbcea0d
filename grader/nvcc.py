"""The program that stands in nvcc's place under ./lab make. Arguments: the real nvcc, and those of nvcc. It is a file
beside the packages, as lab.py is."""

import sys
from pathlib import Path

from launcher.old_cards import start

if __name__ == "__main__":
    start(Path(sys.argv[1]), sys.argv[2:])
