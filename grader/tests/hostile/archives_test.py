"""Every archive of archives.py is refused for the reason that it names, quickly, and leaves nothing behind."""

import resource
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

from archives import CANARY, CASES, GOOD

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from batch import intake  # noqa: E402
from launcher.labs import all_labs  # noqa: E402

MOST_MEMORY = 256 << 20  # bytes in addition to the test's own memory; an unpacked bomb would need more


class Archives(unittest.TestCase):
    def test_each_is_refused_for_its_reason(self) -> None:
        labs = all_labs()
        for case in CASES:
            with self.subTest(case.name), tempfile.TemporaryDirectory() as name:
                root = Path(name)
                secret = root / "secret" / "02" / "reduce.cu"
                secret.parent.mkdir(parents=True)
                secret.write_bytes(GOOD + b"// leaked\n")
                folder = root / "submissions"
                folder.mkdir()
                with warnings.catch_warnings(action="ignore"):  # of a name that occurs twice
                    case.make(folder, secret)
                before = sorted(root.rglob("*"))
                most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
                found, _ = intake.read(folder, labs, None)
                grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - most) << 10
                self.assertEqual([one.refusal is not None for one in found], [True], found)
                self.assertIn(case.reason, found[0].refusal)
                self.assertNotIn(b"leaked", b"".join(found[0].files.values()))
                self.assertEqual(sorted(root.rglob("*")), before)
                self.assertLess(grown, MOST_MEMORY)
                for place in (Path("/tmp"), Path.cwd(), root.parent):
                    self.assertEqual(list(place.glob(f"*{CANARY}*")), [])


if __name__ == "__main__":
    unittest.main()
