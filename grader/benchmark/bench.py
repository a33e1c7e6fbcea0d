"""bench: ./lab bench. Times the kernels of the capstone labs on this machine's card, beside CUB, beside kernels that
only read or copy, and beside the CPU's parallel library. Without a card it shows the records of other cards."""

import datetime
import json
import re
from argparse import Namespace
from pathlib import Path

from launcher import device, picture, setup
from launcher.console import Failure, say
from launcher.language import _, later
from launcher.paths import BUILD, ROOT, commit, shown

from common.pictures import bench_record
from common.pictures.bench_record import Record, Row

from . import lines, programs

RECORDS = ROOT / "docs" / "measurements"
NO_CARD = later("""This machine has no NVIDIA GPU, so no kernel can be timed here. What is said all the same:
  - the times that were recorded on other cards, below
  - what this machine's processor takes for the same tasks, measured now
  - what the kernels do, counted by lockstep: ./lab check 21 to ./lab check 25""")


def run(arguments: Namespace) -> int:
    out = Path(arguments.out) if arguments.out else BUILD / "bench"
    if out.exists() and not out.is_dir():
        raise Failure(_("--out {out} is a file. Name a folder.", out=out))
    out.mkdir(parents=True, exist_ok=True)
    nvcc = setup.prepare(picture=True)
    if not programs.HERE.is_dir():
        say(_("This course keeps its solutions apart, and with them the programs that time them."))
        return _show_records(out)
    if device.choose("auto") != "gpu":
        return _without_card(arguments, out)
    found = programs.compile_for_card(nvcc, programs.newest_cub(arguments.cub and Path(arguments.cub)))
    name = device.card()
    for check in found.checks:
        programs.run(_("Checking the kernels on {name} ({check})", name=name, check=check.name), [check])
    rows_file = programs.PLACE / "card.csv"
    flush, extent = "dirty" if arguments.dirty else "clean", "whole" if arguments.whole else "quick"
    programs.run(_("Timing on {name}", name=name), [found.bench, rows_file, flush, extent, *found.libraries])
    record: Record = {
        "device": name,
        "driver": device.driver(),
        "toolkit": programs.toolkit_version(nvcc),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": arguments.commit or commit(),
        "flush": flush,
        "rows": bench_record.read_rows(rows_file) + _cpu_rows(arguments),
    }
    _keep(record, out)
    _show(record)
    if bad := bench_record.wrong(record):
        say(
            _(
                "Wrong results: {count}. The first: {what}, {family} of {n}.",
                count=len(bad),
                what=bad[0]["what"],
                family=bad[0]["family"],
                n=f"{bad[0]['n']:,}",
            )
        )
    return 1 if bad else 0


def newest_records() -> list[Record]:
    """The newest of each card."""
    found = [bench_record.newest(card) for card in sorted(RECORDS.iterdir()) if card.is_dir()]
    return [record for record in found if record]


def _without_card(arguments: Namespace, out: Path) -> int:
    say(_(NO_CARD))
    _show_records(out)
    if rows := _cpu_rows(arguments):
        say("\n" + _("This machine's processor, measured now"))
        for line in lines.cpu_table(rows):
            say(line)
    return 0


def _show_records(out: Path) -> int:
    for record in newest_records():
        say(
            "\n"
            + _(
                "Recorded on {device}, {date}, toolkit {toolkit}, {commit}",
                device=record["device"],
                date=record["date"],
                toolkit=record["toolkit"],
                commit=record["commit"],
            )
        )
        _show(record)
        picture.draw("bench", _facts(record), out / f"bench_{_short(record)}.png")
    say("\n" + _("Plots of the records: {out}", out=shown(out)))
    return 0


def _cpu_rows(arguments: Namespace) -> list[Row]:
    cpu = programs.compile_for_cpu()
    if cpu is None:
        return []
    file = programs.PLACE / "cpu.csv"
    programs.run(_("Timing the CPU's library"), [cpu, file, "whole" if arguments.whole else "quick"])
    return bench_record.read_rows(file)


def _keep(record: Record, out: Path) -> None:
    name = f"bench_{'dirty_' if record['flush'] == 'dirty' else ''}{record['date']}"
    (out / f"{name}.json").write_text(bench_record.to_json(record), encoding="utf-8")
    picture.draw("bench", _facts(record), out / f"{name}.png")
    say(_("{name}.json has every row, {name}.png the plots.", name=shown(out / name)))


def _show(record: Record) -> None:
    for line in lines.table(record):
        say(line)
    say()
    say(
        _(
            "Medians of interleaved calls between two events, in ms; L2 flushed before each. times: "
            "over the best of CUB."
        )
    )


def _facts(record: Record) -> dict[str, object]:
    """What the plot needs: the record, and the rungs of the ladder on the same card."""
    ladders = sorted(RECORDS.glob(f"{_short(record).lower()}/ladder_*.json"))
    rungs = json.loads(ladders[-1].read_text(encoding="utf-8"))["rows"] if ladders else []
    timed = [
        {"lab": row["lab"][:2], "family": row["family"], "n": row["size"], "ms": row["time"]["ms"]}
        for row in rungs
        if row["time"].get("measured") and row["time"]["ms"]
    ]
    return {"record": record, "rungs": timed}


def _short(record: Record) -> str:
    """H100 of "NVIDIA H100 80GB HBM3": the first word with a digit. In small letters it is the name of the folder."""
    words: list[str] = record["device"].split()
    return next((word for word in words if re.search(r"\d", word)), words[-1])
