"""The page of ./lab report shows a learner's own kernel at work. ./lab compare puts two versions side by side."""

import sys

from launcher.paths import ROOT

sys.path.append(str(ROOT))  # common.pictures reads recordings, for the handouts' pictures and for this page
