"""pictures: what a lab's reference kernel does, as lockstep recorded it → the lab's picture.svg.

    python3 -m common.pictures 02

labs/NN_name/picture.py says in RECORDS what to record, and draws it: draw(*traces) → a matplotlib Figure. `record` runs
the reference through the judge, `trace` is what comes back, `shapes` is what pictures are made of.
"""

from .record import Record
from .trace import Access, Flow, Lane, Trace, as_float

__all__ = ["Access", "Flow", "Lane", "Record", "Trace", "as_float"]
