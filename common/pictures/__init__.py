"""pictures: draws the pictures of the labs and of docs/, and fills the tables of docs/.

    python3 -m common.pictures 02

A lab's picture.svg shows what its reference kernel did, as lockstep recorded it. labs/NN_name/picture.py says in
RECORDS what to record, and draws it: draw(*traces) → a matplotlib Figure. `record` runs the reference through the
judge, `trace` reads what lockstep recorded, and `shapes` has the parts of which pictures are made."""

from .record import Record
from .trace import Access, Flow, Lane, Trace, as_float

__all__ = ["Access", "Flow", "Lane", "Record", "Trace", "as_float"]
