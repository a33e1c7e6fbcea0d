"""options: those of ./lab emulate, which the installed command `lockstep` has, too."""

from argparse import REMAINDER, ArgumentParser


def of_emulate(parser: ArgumentParser) -> None:
    option = parser.add_argument
    option("--report", metavar="F.json", help="write counters by kernel and line, and findings, to this file")
    option(
        "--trace", metavar="F.jsonl", help="write every access of every warp to this file, in order; for small launches"
    )
    option("--checks", metavar="LIST", help="all, none, or of memory,initialised,races,synchronisation,launch,volatile")
    option("--schedule", metavar="S", help="order of warps and blocks: forward, reverse or random:SEED")
    option("--threads", metavar="N", help="of this machine, that run blocks side by side; otherwise one for each core")
    option("--fail", metavar="K", help="let the program's K-th call of the CUDA runtime fail, to see whether it looks")
    option("program", metavar="PROGRAM")
    option("arguments", nargs=REMAINDER, metavar="ARGS", help="the program's own arguments")
