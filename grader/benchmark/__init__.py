"""The kernels of the capstone labs beside NVIDIA's library and the limits of the card, in one table."""

import sys

from launcher.paths import ROOT

sys.path.append(str(ROOT))  # common.pictures reads the records, for the pages of docs/ and for this table
