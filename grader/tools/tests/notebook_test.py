"""%lab and %%lab in a notebook."""

import json
import unittest
from unittest import mock

from launcher import labs
from launcher.console import Failure
from tools import notebook


class Magic(unittest.TestCase):
    def setUp(self) -> None:
        shell = mock.Mock()
        notebook.load_ipython_extension(shell)
        self.lab, kind = shell.register_magic_function.call_args.args
        self.shell = shell
        self.assertEqual(kind, "line_cell")

    def test_a_line_opens_the_labs_file(self) -> None:
        self.lab("0")
        text = labs.find_lab("00").source.read_text(encoding="utf-8")
        self.shell.set_next_input.assert_called_once_with(f"%%lab 0\n{text}")

    def test_a_line_runs_a_command(self) -> None:
        with mock.patch("builtins.print") as said:
            self.lab("list --json")
        listed = json.loads("".join(call.args[0] for call in said.call_args_list))
        self.assertEqual([entry["name"] for entry in listed], [lab.name for lab in labs.all_labs()])

    def test_without_a_lab(self) -> None:
        with self.assertRaisesRegex(Failure, "which lab"):
            notebook.check([], "")
        with mock.patch("builtins.print") as said:
            self.lab("77")
        self.assertIn('there is no lab "77"', str(said.call_args))
        self.shell.set_next_input.assert_not_called()


if __name__ == "__main__":
    unittest.main()
