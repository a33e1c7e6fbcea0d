#!/usr/bin/env python3
"""Fits the cost model's free parameters to the labs' kernels as measured on the H200, and says how well it predicts.

    fit_model.py BUILD            lockstep's counts → model_work.json; the fit → cards.csv, model_fit.csv
    fit_model.py BUILD --check    whether these files are up to date; runs only a few of the labs

BUILD holds the labs' solutions, lab_case and model_times. It fits the rows of cards.csv whose source is `fitted`, the
same for all cards: `overlap`. It minimises the sum, over all kernels, of the squared logarithm of modelled over
measured time. Then each lab's kernels are left out once and predicted by a fit to the others. For lab 15, whose times
are far from all others, it leaves out one input at a time. The result is `speedup_error`.
"""

import argparse
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "card"))
from lab_cases import call, labs

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
GOLDEN = HERE.parent / "golden"
CARDS, WORK, FIT = ROOT / "common/lockstep/report/cards.csv", GOLDEN / "model_work.json", GOLDEN / "model_fit.csv"
CARD = "NVIDIA H200"
# The fitted parameter and its bounds: how much the longest part covers the others.
BOUNDS = {"overlap": (1.0, 10.0)}
FITTED = re.compile(r"^all,(\w+),([\d.]+),fitted$", re.MULTILINE)
COLUMNS = ["rung", "family", "n", "us_q1", "us", "us_q3", "modelled_us", "left_out_us", "bound"]
SAME = 1e-3  # relative; another machine's logarithms may differ in their last digits, and steps end at 1e-4
LIGHT = ("00", "01", "05", "06", "08", "09", "10", "17", "18")  # labs whose kernels take lockstep less than a second


@dataclass
class Rung:
    name: str  # 15.constant
    lab: str
    family: str
    n: int
    us: tuple[float, float, float]  # quartiles
    command: list[str]

    @property
    def left_out_with(self) -> str:
        return self.name if self.lab.startswith("15") else self.lab


def rungs() -> list[Rung]:
    """All rows of the newest kernels_DATE.csv."""
    facts = dict(labs())
    file = max((ROOT / "docs" / "measurements" / "h200").glob("kernels_[0-9]*.csv"))
    found = []
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(line for line in lines if not line.startswith("#")):
            lab = facts[row["lab"]]
            name = row["lab"][:2]
            if row["entry"] != lab.get("measured", lab["entries"][-1]):
                name += f".{row['entry']}"
            if row["below"] == "1":
                name += ".constant"
            command = call(row["lab"], lab["contract"], row["entry"], int(row["n"]), int(row["below"]))
            command += ["1", str(lab.get("blocks", [256])[0]), "1"]
            us = (float(row["ms_q1"]) * 1e3, float(row["ms"]) * 1e3, float(row["ms_q3"]) * 1e3)
            found.append(Rung(name, row["lab"], lab["family"], int(row["n"]), us, command))
    return found


def report(build: Path, rung: Rung, threads: int = 2) -> dict:
    """The counts of the rung's kernels on lockstep, on random input of a fixed seed."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.json"
        environment = dict(os.environ, LD_LIBRARY_PATH=str(build / "lockstep"), LOCKSTEP_REPORT=str(file))
        environment["LOCKSTEP_THREADS"] = str(threads)
        subprocess.run(rung.command, cwd=build, env=environment, check=True, stdout=subprocess.DEVNULL)
        return json.loads(file.read_text(encoding="utf-8"))


def work_of(report: dict) -> dict:
    return {"launches": [{key: launch[key] for key in ("grid", "block", "work")} for launch in report["launches"]]}


class Model:
    """The program model_times, which answers many requests for the times of all rungs."""

    def __init__(self, build: Path) -> None:
        program = [str(build / "common/lockstep/tests/report/model_times"), str(WORK)]
        self.process = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()

    def us(self, parameters: dict[str, float]) -> list[tuple[float, str]]:
        """The microseconds of each rung, and the bound of its longest launch."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(" ".join(f"{name}={value:.9g}" for name, value in parameters.items()) + "\n")
        self.process.stdin.flush()
        words = self.process.stdout.readline().split()
        return [(float(us), bound) for us, bound in zip(words[::2], words[1::2], strict=True)]


def fit(model: Model, measured: Sequence[float], used: Sequence[bool], start: dict[str, float]) -> dict[str, float]:
    """Steps up or down in one parameter after the other, and takes shorter steps when no step helps."""

    def loss(parameters: dict[str, float]) -> float:
        modelled = model.us(parameters)
        return sum(math.log(t / m) ** 2 for (t, _), m, use in zip(modelled, measured, used, strict=True) if use)

    best, least, step = dict(start), loss(start), 0.2
    while step > 1e-4:
        better = False
        for name, (low, high) in BOUNDS.items():
            for factor in (1 + step, 1 / (1 + step)):
                tried = best | {name: min(max(best[name] * factor, low), high)}
                if (now := loss(tried)) < least - 1e-12:
                    best, least, better = tried, now, True
        if not better:
            step /= 2
    return best


def fitted_rows(build: Path, found: list[Rung]) -> tuple[dict[str, float], list[list[str]]]:
    measured = [rung.us[1] for rung in found]
    middle = {name: math.sqrt(low * high) for name, (low, high) in BOUNDS.items()}
    with Model(build) as model:
        best = {name: float(f"{value:.4g}") for name, value in
                fit(model, measured, [True] * len(found), middle).items()}  # fmt: skip
        modelled = model.us(best)
        left_out: dict[str, float] = {}
        for group in dict.fromkeys(rung.left_out_with for rung in found):
            others = fit(model, measured, [rung.left_out_with != group for rung in found], best)
            for rung, (us, _) in zip(found, model.us(others), strict=True):
                if rung.left_out_with == group:
                    left_out[rung.name] = us
    rows = []
    for rung, (us, bound) in zip(found, modelled, strict=True):
        figures = (*rung.us, us, left_out[rung.name])
        rows.append([rung.name, rung.family, str(rung.n), *(f"{figure:.5g}" for figure in figures), bound])
    ratios = {rung.name: (us / rung.us[1], left_out[rung.name] / rung.us[1])
              for rung, (us, _) in zip(found, modelled, strict=True)}  # fmt: skip
    return best | {"speedup_error": speedup_error(ratios)}, rows


def speedup_error(ratios: dict[str, tuple[float, float]]) -> float:
    """ratios: modelled over measured by rung, fitted to all and with it left out. The largest error of a modelled
    speedup of a rung over the rung below it, rounded up."""
    off = [1.0]
    for lab, facts in labs():
        below, name = facts["baseline"], lab[:2]
        if below in ratios and name in ratios:
            error = ratios[name][1] / ratios[below][0]
            off.append(max(error, 1 / error))
    return math.ceil(max(off) * 100) / 100


def differs(a: str, b: str) -> bool:
    try:
        return not math.isclose(float(a), float(b), rel_tol=SAME)
    except ValueError:
        return a != b


def check_fit(best: dict[str, float], rows: list[list[str]]) -> Iterable[str]:
    text = CARDS.read_text(encoding="utf-8")
    noted = dict(FITTED.findall(text))
    for name, value in best.items():
        if differs(noted.get(name, ""), str(value)):
            yield f"cards.csv: {name} is {noted.get(name)}; fitted now: {value}"
    with FIT.open(encoding="utf-8", newline="") as lines:
        kept = list(csv.reader(line for line in lines if not line.startswith("#")))[1:]
    if len(kept) != len(rows):
        yield f"model_fit.csv has {len(kept)} rungs; measured are {len(rows)}"
    for old, new in zip(kept, rows):
        if any(differs(a, b) for a, b in zip(old, new, strict=True)):
            yield f"model_fit.csv: {','.join(old)}; now {','.join(new)}"


def check_work(build: Path, found: list[Rung]) -> Iterable[str]:
    """lockstep's counts now, for the labs that run quickly; on one thread of the host, and once on two."""
    kept = json.loads(WORK.read_text(encoding="utf-8"))
    for rung in found:
        if rung.lab[:2] not in LIGHT:
            continue
        now = report(build, rung, threads=1)
        if work_of(now) != kept[rung.name]:
            yield f"model_work.json: {rung.name} counts otherwise now"
        if rung.lab.startswith("17") and report(build, rung, threads=2) != now:
            yield f"{rung.name}: the report on two threads is not that on one"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    build, found = arguments.build.resolve(), rungs()
    if arguments.check:
        wrong = [*check_work(build, found), *check_fit(*fitted_rows(build, found))]
        if wrong:
            print("\n".join(wrong))
            print("If that is meant: common/lockstep/tests/report/fit_model.py build,")
            print("then python3 -m common.pictures pages")
        return 1 if wrong else 0
    work = {}
    for rung in found:
        work[rung.name] = work_of(report(build, rung))
        print(rung.name, flush=True)
    WORK.write_text(json.dumps(work, indent=1) + "\n", encoding="utf-8")
    best, rows = fitted_rows(build, found)
    text = CARDS.read_text(encoding="utf-8")
    CARDS.write_text(FITTED.sub(lambda row: f"all,{row[1]},{best[row[1]]:g},fitted", text), encoding="utf-8")
    with FIT.open("w", newline="", encoding="utf-8") as out:
        out.write(
            f"# {CARD}: kernels_DATE.csv of docs/measurements/h200 beside the cost model; written by fit_model.py\n"
        )
        csv.writer(out, lineterminator="\n").writerows([COLUMNS, *rows])
    print(best)
    return 0


if __name__ == "__main__":
    sys.exit(main())
