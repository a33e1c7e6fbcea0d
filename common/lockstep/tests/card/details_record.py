#!/usr/bin/env python3
"""What `ncu --page details` prints of details.cu → docs/measurements/CARD/details_DATE.csv: sections, metrics, units
and values in ncu's order. ./lab report --page details prints these sections, and its tests compare.

    nvcc -O3 -lineinfo -arch=native -o details details.cu
    ncu --set full --page details --csv ./details > full.csv
    ncu --metrics NAMES --csv ./details > raw.csv
    details_record.py full.csv raw.csv --head "device …, driver …, toolkit …, date …, Nsight Compute …" > OUT.csv
"""

import argparse
import csv
import sys
from collections.abc import Iterator
from pathlib import Path

COLUMNS = ["Kernel Name", "Section Name", "Metric Name", "Metric Unit", "Metric Value"]


def metrics(file: Path) -> Iterator[list[str]]:
    """Rows with advice have no metric. ncu prints its own messages before the table."""
    lines = file.read_text(encoding="utf-8").splitlines()
    table = [line for line in lines if line.startswith('"')]
    for row in csv.DictReader(table):
        if row["Metric Name"]:
            yield [row["Kernel Name"].split("(")[0], *(row[name] for name in COLUMNS[1:])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+", help="what ncu printed with --csv")
    parser.add_argument("--head", required=True, help="the first line, without #")
    options = parser.parse_args()
    print(f"# {options.head}")
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(row for file in options.files for row in metrics(file))


if __name__ == "__main__":
    main()
