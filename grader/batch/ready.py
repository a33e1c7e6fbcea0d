"""ready: this machine made ready for judges: set-up, a configured tree, and the targets that the labs need."""

from pathlib import Path

from launcher import build, demo, judge, setup
from launcher.console import Failure
from launcher.labs import Lab
from launcher.language import _

# Memory for one judge and all processes that it starts. The largest one on lockstep took 730 MiB: lab 16's reference,
# whose measured case of 100 MiB is under all checks. The sandbox limits a submission that wastes more.
JUDGE_BYTES = 1 << 30


def make_ready(where: str, wanted: list[Lab]) -> tuple[Path, list[Lab]]:
    """Builds what these labs need. Returns the tree, and those of the labs that this machine can grade."""
    opencl = [lab for lab in wanted if lab.is_opencl]
    try:
        nvcc = setup.prepare(opencl=bool(opencl))
    except Failure:
        if not opencl or not setup.missing_opencl():
            raise
        nvcc = setup.prepare()
    fit = demo.buildable(wanted)
    tree = build.configure(where, nvcc)
    build.build(tree, judge.targets(fit), _("Building what grades these labs"))
    return tree, fit
