"""What a record says of each task, and the lines that show it."""

import json
import tempfile
import unittest
from pathlib import Path

from benchmark import bench, lines

from common.pictures import bench_record

HEAD = "family,type,input,n,what,launch,flush,rounds,ms_min,ms_q1,ms,ms_q3,ms_max,gb_s,right\n"


def row(
    what: str, ms: float, *, n: int = 1024, launch: str = "stream", right: str = "yes", family: str = "scan"
) -> str:
    return f'{family},i32,random,{n},"{what}",{launch},clean,21,{ms},{ms},{ms},{ms},{ms},1,{right}\n'


def record(*rows: str) -> bench_record.Record:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.csv"
        file.write_text("# a comment\n" + HEAD + "".join(rows), encoding="utf-8")
        return {"device": "NVIDIA X1", "date": "2030-01-02", "rows": bench_record.read_rows(file)}


class Figures(unittest.TestCase):
    def test_the_best_of_cub_and_the_fastest_limit_are_compared(self) -> None:
        [task] = bench_record.tasks(
            record(
                row("CUB 3.0.1", 3), row("CUB 3.5.0", 2.4), row("ours", 2), row("ours by blocks", 1),
                row("copy 256 x 1", 1.5), row("copy striding", 1.6), row("std::scan, 2 threads", 50, launch="host"),
            )
        )  # fmt: skip
        self.assertEqual((task.cub["what"], task.limit["what"]), ("CUB 3.5.0", "copy 256 x 1"))
        self.assertAlmostEqual(task.ratio, 1.2)
        self.assertAlmostEqual(task.share, 0.75)
        self.assertEqual(task.cpu["ms"], 50)

    def test_a_call_with_a_wrong_result_wins_nothing(self) -> None:
        made = record(row("CUB 3.0.1", 3), row("CUB 3.5.0", 1, right="NO"), row("ours", 2))
        self.assertEqual(bench_record.tasks(made)[0].cub["what"], "CUB 3.0.1")
        self.assertEqual([one["what"] for one in bench_record.wrong(made)], ["CUB 3.5.0"])
        self.assertIn("2.0000 WRONG", "\n".join(lines.table(record(row("ours", 2, right="NO")))))

    def test_sizes_and_ways_of_launching_are_tasks_of_their_own(self) -> None:
        made = record(
            row("ours", 2),
            row("CUB 3.0.1", 9, n=2048),
            row("CUB 3.0.1", 4, launch="graph"),
            row("ours", 3, launch="graph"),
        )
        stream, graph = bench_record.tasks(made)
        self.assertIsNone(stream.ratio)
        self.assertIsNone(stream.share)
        self.assertAlmostEqual(graph.ratio, 4 / 3)

    def test_lines_are_grouped_by_task_and_ordered_by_size(self) -> None:
        made = record(row("ours", 2, n=4096), row("ours", 1, family="reduce"), row("ours", 1))
        text = lines.table(made)
        heads = [line for line in text if "share of" in line]
        self.assertEqual(heads, ["reduce, i32, random: share of reading", "scan, i32, random: share of copying"])
        scan = text[text.index(heads[1]) + 2 :]
        self.assertEqual([line.split()[0] for line in scan], ["1,024", "4,096"])
        self.assertNotIn("CPU", text[2])

    def test_a_record_is_kept_whole(self) -> None:
        made = record(row("ours", 2), row("CUB 3.0.1", 3))
        self.assertEqual(json.loads(bench_record.to_json(made)), made)

    def test_the_newest_record_of_each_card(self) -> None:
        found = bench.newest_records()
        self.assertIn("NVIDIA H200", [one["device"] for one in found])
        for one in found:
            self.assertEqual(bench_record.wrong(one), [])
            for task in bench_record.tasks(one):
                self.assertTrue(task.cub, task)
                self.assertEqual(bool(task.limit), bool(bench_record.LIMIT_OF[task.family]), task)


if __name__ == "__main__":
    unittest.main()
