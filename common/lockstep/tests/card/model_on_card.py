#!/usr/bin/env python3
"""The single costs in the cost model: latencies, barriers, atomics, bandwidths, and an empty kernel's time.

    model_on_card.py FOLDER --commit COMMIT     on a machine with a GPU, nvcc and ncu

writes FOLDER/model_DATE.csv: the output of model_card.cu, and empty kernels under Nsight Compute (gpu__time_duration,
as labs_on_card.py times the labs' kernels). Clocks are not changed.
"""

import argparse
import csv
import datetime
import io
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from labs_on_card import write
from ncu_record import card_and_date, profile

HERE = Path(__file__).resolve().parent
LAUNCHES = ["1x32", "a_multiprocessor_x1024", "4096x1024", "16384x1024", "16384x256"]  # blocks x threads of model_card


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--commit", required=True)
    arguments = parser.parse_args()
    head = f"{card_and_date()}, commit {arguments.commit}; medians of 7 runs\n"
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "model_card"
        options = ["-O3", "-std=c++20", "-arch=native", f"-I{HERE.parents[3]}", "-o", str(program)]
        if subprocess.run(["nvcc", *options, str(HERE / "model_card.cu")], check=False).returncode != 0:
            sys.exit("model_card.cu does not compile")
        printed = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
        kernels = profile(
            program.parent, [program.name, "launch"], ["gpu__time_duration.sum"], ["--cache-control", "all"]
        )
    us = [float(kernel["gpu__time_duration.sum"].replace(",", "")) / 1e3 for kernel in kernels]
    rows = list(csv.reader(io.StringIO(printed)))
    for i, shape in enumerate(LAUNCHES):
        rows.append(["empty_kernel", shape, f"{statistics.median(us[i :: len(LAUNCHES)]):.4f}", "us"])
    file = arguments.folder / f"model_{datetime.date.today().isoformat()}.csv"
    write(file, f"{head}", ["what", "x", "value", "unit"], rows)
    print(file.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
