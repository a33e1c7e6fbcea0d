"""Bars begin at 0 on a linear axis, and say where nothing was measured."""

import importlib.util
import unittest

HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None


@unittest.skipUnless(HAS_MATPLOTLIB, "it needs matplotlib")
class Bars(unittest.TestCase):
    def test_lengths_are_values(self) -> None:
        from common.pictures import bars, shapes

        _, (axes,) = shapes.figure(4, 2)
        rows = [[bars.Bar(300.0, "300 ms")], [bars.Bar(0.3, "0.3 ms")], [bars.Bar(None)], []]
        bars.draw(axes, ["1", "2", "3", "4"], rows, "ms")
        self.assertEqual([bar.get_width() for bar in axes.patches], [300.0, 0.3, 0])
        self.assertEqual((axes.get_xscale(), axes.get_xlim()[0]), ("linear", 0))
        self.assertGreater(axes.get_xlim()[1], 300)
        self.assertEqual([text.get_text() for text in axes.texts], ["300 ms", "0.3 ms", "not measured yet"])
        heights = [text.xy[1] for text in axes.texts]
        self.assertEqual(heights, sorted(heights), "the first rung is at the bottom")

    def test_gains_have_two_digits(self) -> None:
        from common.pictures.bars import times_as_fast

        self.assertEqual(times_as_fast(76.7, 0.0305, "15"), ", 2,500 times as fast as 15")
        self.assertEqual(times_as_fast(0.293, 0.138, "02"), ", 2.1 times as fast as 02")


if __name__ == "__main__":
    unittest.main()
