"""How numbers, points and lists are written for people."""

import unittest

from batch.reports import text


class Numbers(unittest.TestCase):
    def test_a_number(self) -> None:
        for value, digits, shown in (
            (None, 4, "–"),
            (0, 4, "0"),
            (1234567, 4, "1,234,567"),
            (0.12345, 4, "0.1235"),
            (1234.5, 4, "1234"),
            (9999.4, 4, "9999"),
            (12345.6, 4, "12,346"),
            (-12345.6, 4, "-12,346"),
            (123.456, 2, "123"),
            (12.3456, 3, "12.3"),
        ):
            self.assertEqual(text.number(value, digits), shown, value)

    def test_a_ratio_has_three_digits(self) -> None:
        for value, shown in ((1, "1.00"), (1.005, "1.00"), (12.5, "12.5"), (230.4, "230"), (0.5, "0.50")):
            self.assertEqual(text.ratio(value), shown)

    def test_points(self) -> None:
        for value, shown in ((None, ""), (0, "0"), (80, "80"), (66.6666, "66.67"), (12.5, "12.5"), (100, "100")):
            self.assertEqual(text.points(value), shown)

    def test_lists(self) -> None:
        self.assertEqual(
            [text.counted(count, "{n} lab", "{n} labs") for count in (0, 1, 2, 1000)],
            ["0 labs", "1 lab", "2 labs", "1,000 labs"],
        )


if __name__ == "__main__":
    unittest.main()
