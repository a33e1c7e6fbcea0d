"""The course as a site in two languages, with a search that needs no network: ./lab docs builds and serves it."""

import sys

from launcher.paths import ROOT

sys.path.append(str(ROOT))  # common.translation knows which Chinese page belongs to which English one
