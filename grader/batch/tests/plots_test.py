"""The plots of the class page: what they show, and that they fit into a page."""

import re
import unittest

from batch.tests import reading

reading.need_packages(__name__)

from batch.reports import plots  # noqa: E402 (matplotlib is there only now)


def widths(svg: str, colour: str) -> list[float]:
    """The widths of the bars of this colour."""
    found = re.findall(rf'<path d="([^"]*)"[^>]*fill: {colour}', svg)
    across = [[float(x) for x in re.findall(r"[ML] ([\d.]+) [\d.]+", path)] for path in found]
    return [max(xs) - min(xs) for xs in across]


def texts(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


class Plots(unittest.TestCase):
    def test_points(self) -> None:
        shown = texts(plots.distribution([0, 5, 100, 200, 200, 200], 200))
        self.assertEqual(shown[:6], ["0", "40", "80", "120", "160", "200"])
        self.assertIn("points of 200", shown)
        self.assertIn("students", shown)

    def test_verdicts(self) -> None:
        rows = [("02", {"good": 3, "bad": 1}), ("15", {"good": 0, "partial": 95, "fault": 5}), ("16", {})]
        svg = plots.verdicts(rows)
        shown = texts(svg)
        for wanted in ("02", "15", "16", "3", "1", "95", "per cent of submissions"):
            self.assertEqual(shown.count(wanted), 1, wanted)
        self.assertNotIn("5", shown, "no room for a number")
        good, bad = max(widths(svg, plots.COLOURS["good"])), max(widths(svg, plots.COLOURS["bad"]))
        self.assertAlmostEqual(good / bad, 3, places=3)

    def test_speedups(self) -> None:
        svg = plots.speedups([("02", [0.6, 1, 3]), ("15", [7, 7])], "modelled")
        shown = texts(svg)
        self.assertEqual(svg.count(f"fill: {plots.COLOURS['good']}; fill-opacity: 0.55"), 5, "dots")
        self.assertEqual([text for text in shown if text.endswith("×")], ["0.5×", "1×", "2×", "4×", "8×"])
        self.assertIn("speedup (modelled)", shown)

    def test_a_page_can_hold_them_all(self) -> None:
        made = [plots.speedups([("02", [1.5])], kind) for kind in ("measured", "modelled")]
        ids = [name for svg in made for name in re.findall(r' id="([^"]*)"', svg)]
        self.assertTrue(ids)
        self.assertEqual(len(ids), len(set(ids)))
        for svg in made:
            used = re.findall(r"(?:url\(|href=\")#([^)\"]+)", svg)
            self.assertLessEqual(set(used), set(ids))
            self.assertTrue(svg.startswith('<svg role="img" '), svg[:40])
            self.assertNotRegex(svg.partition(">")[0], r"\b(width|height)=")
            self.assertIn("currentColor", svg)
            for unwanted in ("<metadata", "Matplotlib", plots.INK, "font-family", "font: "):
                self.assertNotIn(unwanted, svg)


if __name__ == "__main__":
    unittest.main()
