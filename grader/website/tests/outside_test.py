"""The addresses outside to which the site leads. One that answers "not found" or "gone" fails. Others that give no page
are listed. The test needs a network, and is skipped without one."""

import tempfile
import threading
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from launcher import wheels

if not wheels.installed(wheels.DOCS):
    raise unittest.SkipTest(f"{wheels.DOCS.name} is not installed in .venv; ./lab test installs it")

from website.build import build
from website.serve import server

GONE = (404, 410)


def ask(address: str) -> int | str:
    """The status of the answer, or why there is none."""
    request = urllib.request.Request(address, headers={"User-Agent": "Mozilla/5.0"})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError as error:
        return str(error)


class Outside(unittest.TestCase):
    def test_a_page_that_is_gone_is_noticed(self) -> None:
        with tempfile.TemporaryDirectory() as folder, server(Path(folder), 0) as running:
            threading.Thread(target=running.serve_forever, daemon=True).start()
            home = f"http://127.0.0.1:{running.server_port}"
            self.assertEqual(ask(home), 200)
            self.assertIn(ask(f"{home}/nothing"), GONE)
            running.shutdown()

    def test_every_address(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            outside = build(Path(name) / "site").outside
        self.assertGreater(len(outside), 0)
        answers = {address: ask(address) for address in outside}
        for address, answer in answers.items():
            if answer != 200:
                print(f"not reached: {address} ({answer}), from {outside[address]}")
        self.assertEqual([address for address, answer in answers.items() if answer in GONE], [])
        if not any(isinstance(answer, int) for answer in answers.values()):
            self.skipTest("no address was reached: there is no network here")


if __name__ == "__main__":
    unittest.main()
