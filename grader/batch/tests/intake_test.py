"""What intake accepts, to which student it belongs, and what it refuses. Nothing hostile is followed or kept in
memory."""

import contextlib
import gzip
import io
import json
import lzma
import os
import random
import resource
import shutil
import stat
import tarfile
import unittest
import zipfile

from batch import archive, intake
from batch.tests import make_class
from launcher.labs import all_labs, find_lab
from launcher.tests.machines import InAFolder

CODE = b"int main() {}\n"


class Intake(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.labs = all_labs()

    def put(self, path: str, data: bytes = CODE) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    def zip(self, name: str, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> None:
        with zipfile.ZipFile(self.folder / name, "w", method) as packed:
            for path, data in members.items():
                packed.writestr(path, data)

    def tar(self, name: str, *members: tarfile.TarInfo | str, mode: str = "w:gz") -> None:
        with tarfile.open(self.folder / name, mode) as packed:
            for member in members:
                info = tarfile.TarInfo(member) if isinstance(member, str) else member
                data = CODE if info.isreg() else b""
                info.size = len(data)
                packed.addfile(info, io.BytesIO(data))

    def read(self, lab: str | None = None) -> list[intake.Submission]:
        found, self.strangers = intake.read(self.folder, self.labs, find_lab(lab) if lab else None)
        return found

    def only(self, lab: str | None = None) -> intake.Submission:
        found = self.read(lab)
        self.assertEqual(len(found), 1, found)
        return found[0]

    def assert_refused(self, reason: str, lab: str | None = None) -> intake.Submission:
        one = self.only(lab)
        self.assertIn(reason, one.refusal or "it was not refused")
        self.assertEqual(one.files, {})
        for path in self.folder.iterdir():
            path.unlink()
        return one

    def test_folders_archives_and_numbered_files(self) -> None:
        self.put("anna/02_reduce_neighbored/reduce.cu")
        self.put("anna/02_reduce_neighbored/sum.cuh")
        self.put("anna/02_reduce_neighbored/helpers/more.cuh")
        self.put("anna/02_reduce_neighbored/README.md")
        self.put("anna/05/mine.cu")
        self.put("anna/07_scan.cu")
        self.put("anna/20_scan_opencl/scan.cc")
        self.put("anna/20_scan_opencl/scan.cl")
        members = {
            "top/02/reduce.cu": CODE,
            "top/02/other.cu": CODE,
            "__MACOSX/._x.cu": b"x",
            "top/02/reduce.cu~": b"x",
        }
        self.zip("ben.zip", members)
        for name, mode in (("cleo.tar", "w"), ("dora.tar.gz", "w:gz"), ("emil.tgz", "w:gz"), ("fritz.tar.xz", "w:xz")):
            self.tar(name, "./02/reduce.cu", mode=mode)
        found = {(one.student, one.lab): one for one in self.read()}
        self.assertEqual([one.refusal for one in found.values() if one.refusal], [])
        self.assertEqual(
            {lab: one.main for (student, lab), one in found.items() if student == "anna"},
            {
                "02_reduce_neighbored": "reduce.cu",
                "05_scan_hillis_steele": "mine.cu",
                "07_scan_any_length": "07_scan.cu",
                "20_scan_opencl": "scan.cc",
            },
        )
        anna = found["anna", "02_reduce_neighbored"]
        self.assertEqual(anna.files, {"reduce.cu": CODE, "sum.cuh": CODE})
        self.assertIn("'helpers/more.cuh' is ignored: the compiler sees only the files beside reduce.cu", anna.notes)
        self.assertIn("'02_reduce_neighbored/README.md' is ignored: not a source file", anna.notes)
        self.assertEqual(sorted(found["anna", "20_scan_opencl"].files), ["scan.cc", "scan.cl"])
        ben = found["ben", "02_reduce_neighbored"]
        self.assertEqual((ben.main, sorted(ben.files), len(ben.notes)), ("reduce.cu", ["other.cu", "reduce.cu"], 2))
        shas = {found[name, "02_reduce_neighbored"].sha256 for name in ("cleo", "dora", "emil", "fritz")}
        self.assertEqual(len(shas), 1)
        self.assertNotIn(ben.sha256, shas)

    def test_one_lab_for_all(self) -> None:
        self.put("anna/reduce.cu")
        self.put("ben/deep/down/solution.cu")
        self.zip("cleo.zip", {"cleo/reduce.cu": CODE, "cleo/more.cuh": CODE})
        self.put("dora/02_reduce/reduce.cu")
        self.put("dora/03_reduce/reduce.cu")
        self.put("emil/notes.txt")
        found = {one.student: one for one in self.read("2")}
        self.assertEqual({one.lab for one in found.values()}, {"02_reduce_neighbored"})
        self.assertEqual(found["ben"].main, "solution.cu")
        self.assertEqual(sorted(found["cleo"].files), ["more.cuh", "reduce.cu"])
        self.assertIn("'03_reduce' is ignored: another lab's folder", found["dora"].notes)
        self.assertIn("there is no .cu file: hand in reduce.cu", found["emil"].refusal or "")

    def test_canvas_and_moodle(self) -> None:
        self.put("doejane_12345_67_02_reduce.cu")
        self.put("doejane_12345_68_03_reduce-1.cu")
        self.put("lidewei_LATE_222_70_work.zip", b"")
        self.zip("lidewei_LATE_222_70_work.zip", {"02/reduce.cu": CODE})
        self.put("anon_k3Xy_71_02.cu")
        self.put("José García_77_assignsubmission_file/02/reduce.cu")
        self.put("Ann Lee_78_assignsubmission_file_02.cu")
        self.put("Ann Lee_78_assignsubmission_onlinetext/onlinetext.html")
        self.put("Bo Ek_79_assignsubmission_file_/hand in.zip", b"")
        self.zip("Bo Ek_79_assignsubmission_file_/hand in.zip", {"02/reduce.cu": CODE})
        self.put("stray.txt")
        found = self.read()
        self.assertEqual([one.refusal for one in found if one.refusal], [])
        students = {one.student: one.identity for one in found}
        self.assertEqual(students["doejane_12345"], {"system": "canvas", "id": "12345", "name": "doejane"})
        self.assertEqual(students["lidewei_222"], {"system": "canvas", "id": "222", "name": "lidewei"})
        self.assertEqual(students["anon_k3Xy"], {"system": "canvas", "id": "k3Xy", "name": "anon"})
        self.assertEqual(students["José García_77"], {"system": "moodle", "id": "77", "name": "José García"})
        self.assertEqual(students["Ann Lee_78"], {"system": "moodle", "id": "78", "name": "Ann Lee"})
        self.assertEqual(students["Bo Ek_79"], {"system": "moodle", "id": "79", "name": "Bo Ek"})
        self.assertEqual(sum(one.student == "doejane_12345" for one in found), 2)
        self.assertEqual(len(self.strangers), 1)

    def test_paths_that_lead_elsewhere(self) -> None:
        for path, reason in (
            ("../02/reduce.cu", "leads out"),
            ("02/../../reduce.cu", "leads out"),
            ("/etc/02/reduce.cu", "leads out"),
            ("C:/02/reduce.cu", "leads out"),
            ("02\\reduce.cu", "odd path"),
            ("02/re\nduce.cu", "odd path"),
            ("02/\u202euc.ecuder.cu", "odd path"),
            ("02/-o.cu", "rename it"),
            ("02/$(reboot).cu", "rename it"),
            ("02/a;b.cu", "rename it"),
            ('02/"a.cu', "rename it"),
            ("02/.\u200b.cu", "odd path"),
            ("a/" * 12 + "02/reduce.cu", "folders deep"),
            ("02/inner.zip", "archive inside an archive"),
            ("02/inner.7z", "not unpacked"),
        ):
            with self.subTest(path=path):
                self.zip("anna.zip", {path: CODE})
                self.assert_refused(reason)
                self.tar("anna.tar.gz", path)
                self.assert_refused(reason)
        self.zip("anna.zip", {"02/reduce.cu?.txt": CODE})  # zipfile would cut the name at the NUL
        data = (self.folder / "anna.zip").read_bytes()
        (self.folder / "anna.zip").write_bytes(data.replace(b"cu?.txt", b"cu\0.txt"))
        self.assert_refused("odd path")

    def test_a_source_with_any_name_is_graded(self) -> None:
        """The compiler gets it by a plain name, and a note says so."""
        names = ["\u0440educe.cu", "a b.cu", f"{'x' * 70}.cu", "Übung 2 (1).cu", "合計.cu", "réduction's.cu", "+.cu"]
        for name in names:
            with self.subTest(name):
                for pack in (self.zip, lambda file, members: self.tar(file, *members)):
                    pack("anna.zip" if pack == self.zip else "anna.tar.gz", {f"02/{name}": CODE, "02/sum.h": CODE})
                    one = self.only()
                    self.assertEqual(
                        (one.refusal, one.main, sorted(one.files)), (None, "reduce.cu", ["reduce.cu", "sum.h"])
                    )
                    self.assertIn("is graded as reduce.cu", one.notes[0])
                    next(self.folder.iterdir()).unlink()
        self.zip("anna.zip", {"02/reduce.cu": CODE, "02/reduce (1).cu": b"another", "02/größe.h": CODE})
        one = self.only()
        self.assertEqual(one.files, {"reduce.cu": CODE})
        self.assertEqual(len([note for note in one.notes if "the compiler cannot get this name" in note]), 2)

    def test_bytes_that_are_not_utf8(self) -> None:
        """Names as an older program writes them: of students, folders, sources and of what is beside them."""
        odd = os.fsencode(self.folder)
        students = [b"Jos\xe9", b"Jos\xe8", b"\xff\xfe", b"M\x81ller", b"a\nb", b"\x1b[2J", "\u202eadA".encode()]
        students += [b"Garc\xeda_77_assignsubmission_file", b"x" * 240]
        for name in students:
            folder = odd + b"/" + name + b"/\xc4nderung/02"
            os.makedirs(folder)  # noqa: PTH103
            for file in (b"\xdcbung.cu", b"R\xc9ADME.txt", b"odd\x07\n.log"):
                with open(folder + b"/" + file, "wb") as stream:  # noqa: PTH123
                    stream.write(CODE)
        for name in (b"m\x81ller_123_45_02.cu", b"str\xe4y.txt", b"z\xe9.rar", b".left\nover"):
            with open(odd + b"/" + name, "wb") as stream:  # noqa: PTH123
                stream.write(CODE)
        found = self.read()
        self.assertEqual([one.refusal for one in found if one.refusal], [])
        self.assertEqual(len(found), len(students) + 1)
        self.assertEqual(len({one.student for one in found}), len(students) + 1)
        for one in found:
            self.assertEqual((one.lab, list(one.files.values())), ("02_reduce_neighbored", [CODE]))
            shown = repr([one.student, one.source, one.notes, one.identity, one.sha256])
            self.assertTrue(shown.isprintable(), shown)
            for text in (one.student, one.source, *one.notes, *(one.identity or {}).values()):
                self.assertTrue(text.isprintable(), text)
            self.assertEqual(shown.encode().decode(), shown)
        by_key = {one.student: one for one in found}
        jose = next(one for key, one in by_key.items() if key.startswith("Jos%E9~"))
        self.assertEqual((jose.source, jose.identity), ("Jos\\xe9", {"system": "folder", "id": "", "name": "Jos\\xe9"}))
        self.assertIn("'\\xc4nderung/02/R\\xc9ADME.txt' is ignored: not a source file", jose.notes)
        self.assertIn("moodle", {(one.identity or {}).get("system") for one in found})
        self.assertIn("123", {(one.identity or {}).get("id") for one in found})
        self.assertEqual(len(self.strangers), 3)
        self.assertIn("'.left\\u000aover' is ignored: left behind", self.strangers[0])
        self.assertIn("'str\\xe4y.txt' is ignored", self.strangers[1])

    def test_refusals_can_be_written(self) -> None:
        """Each reason that repeats a name does so in a form that a record can hold."""
        odd = "J\udce9\x1b\u202e"
        for make in (
            lambda path: (path / "x.zip").write_bytes(b"no archive"),
            lambda path: (path / f"{odd}.zip").write_bytes(b"no archive"),
            lambda path: self.tar(f"{odd}.tar.gz", "02/reduce.cu", f"./{odd}/../02/reduce.cu"),
            lambda path: [self.put(f"{odd}/02/reduce.cu"), self.zip(f"{odd}.zip", {"02/reduce.cu": CODE})],
            lambda path: [self.put(f"{odd}/02/a/{odd}.log"), self.put(f"{odd}/02/reduce.rar")],
            lambda path: [self.put(f"{odd}/02{name}/reduce.cu") for name in ("", f"_{odd}")],
            lambda path: (path / odd).symlink_to("/etc"),
        ):
            make(self.folder)
            for one in self.read():
                self.assertIsNotNone(one.refusal)
                self.assertTrue(json.dumps([one.refusal, one.source, one.notes], ensure_ascii=False).isprintable())
                self.assertEqual(len(one.sha256), 64)
            for path in self.folder.iterdir():
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()

    def test_late_and_when(self) -> None:
        self.put("lee_LATE_12_34_02.cu")
        self.put("ann/02/reduce.cu")
        self.put("ann/notes.txt")
        for path, at in (("lee_LATE_12_34_02.cu", 1_700_000_000), ("ann/02/reduce.cu", 1_600_000_000)):
            os.utime(self.folder / path, (at, at))
        found = {one.student: one for one in self.read()}
        self.assertEqual((found["lee_12"].time, found["ann"].time), (1_700_000_000, 1_600_000_000))
        self.assertIn("came late", found["lee_12"].notes[0])

    def test_what_is_no_file(self) -> None:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
            info = tarfile.TarInfo("02/reduce.cu")
            info.type, info.linkname = kind, "/etc/passwd"
            self.tar("anna.tar", info, mode="w")
            self.assert_refused("pack regular files only")
        link = zipfile.ZipInfo("02/reduce.cu")
        link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        with zipfile.ZipFile(self.folder / "anna.zip", "w") as packed:
            packed.writestr(link, "/etc/passwd")
        self.assert_refused("is a link")
        (self.folder / "anna" / "02").mkdir(parents=True)
        for make in (lambda path: path.symlink_to("/etc/passwd"), os.mkfifo):
            make(self.folder / "anna/02/reduce.cu")
            self.assertIn("regular files only", self.only().refusal or "")
            (self.folder / "anna/02/reduce.cu").unlink()
        (self.folder / "anna/02/x").symlink_to("/")
        self.assertIn("is a link", self.only().refusal or "")
        (self.folder / "anna/02/x").unlink()
        (self.folder / "ben").symlink_to("/etc")
        self.assertIn("is a link", self.read()[1].refusal or "")

    def test_bombs(self) -> None:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        zeros = bytes(1 << 20)
        self.zip("anna.zip", {"02/reduce.cu": zeros + b"0"})
        self.assert_refused("larger than 1 MiB")
        self.zip("anna.zip", {f"02/{number}.cu": zeros for number in range(20)})
        self.assert_refused("larger than 8 MiB together")
        self.zip("anna.zip", {f"02/{number}.cu": b"" for number in range(10_000)})
        self.assert_refused("more than 2000 files")
        self.zip("anna.zip", {f"02/{number}.h": CODE for number in range(100)} | {"02/reduce.cu": CODE})
        self.assert_refused("more than 64 source files")
        self.zip("anna.zip", {"02/reduce.cu": CODE}, zipfile.ZIP_LZMA)
        self.assert_refused("unusual method")
        (self.folder / "anna.zip").write_bytes(bytes(archive.ARCHIVE_BYTES + 1))
        self.assert_refused("larger than 8 MiB")
        # 1 GiB of zeros: in a member that is ignored, and in a header that tarfile would read at once.
        for kind, name in ((tarfile.REGTYPE, "02/notes.txt"), (tarfile.XHDTYPE, "x"), (tarfile.GNUTYPE_LONGNAME, "x")):
            head = tarfile.TarInfo(name)
            head.type, head.size = kind, 1 << 30
            with gzip.open(self.folder / "anna.tar.gz", "wb", compresslevel=1) as packed:
                packed.write(head.tobuf())
                for _ in range(64):
                    packed.write(zeros)
            self.assert_refused("unpacks to more than 32 MiB")
        head = tarfile.TarInfo("02/reduce.cu")
        head.size = 1 << 30
        with lzma.open(self.folder / "anna.tar.xz", "wb", preset=0) as packed:
            packed.write(head.tobuf() + zeros + zeros)
        self.assert_refused("larger than 1 MiB")
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - most) << 10
        self.assertLess(grown, 6 * archive.UNPACKED_BYTES)  # tarfile keeps a header in pieces, joined, and decoded
        for number in range(2001):
            self.put(f"ben/02/{number}.cu")
        self.assertIn("more than 2000 files", self.only().refusal or "")

    def test_duplicates(self) -> None:
        self.tar("anna.tar", "02/reduce.cu", "./02/reduce.cu", mode="w")
        self.assert_refused("is there twice")
        self.zip("anna.zip", {"02/reduce.cu": CODE, "02_reduce/reduce.cu": CODE})
        self.assert_refused("more than once")
        self.zip("anna.zip", {"02/reduce.cu": CODE})
        self.tar("anna.tar.gz", "02/reduce.cu")
        self.assert_refused("two submissions by this name")

    def test_damaged_and_empty(self) -> None:
        for name in ("anna.zip", "anna.tar", "anna.tar.gz", "anna.tgz", "anna.tar.xz"):
            for data in (b"", b"nonsense" * 100):
                (self.folder / name).write_bytes(data)
                self.assert_refused("damaged")
        self.tar("anna.tar.gz", "02/reduce.cu")
        (self.folder / "anna.tar.gz").write_bytes((self.folder / "anna.tar.gz").read_bytes()[:-12])
        self.assert_refused("damaged")
        self.zip("anna.zip", {})
        self.assert_refused("there is no source file")
        self.zip("anna.zip", {"02/reduce.cu": CODE})
        data = bytearray((self.folder / "anna.zip").read_bytes())
        data[data.index(b"reduce.cu") + len("reduce.cu")] ^= 0xFF
        (self.folder / "anna.zip").write_bytes(data)
        self.assert_refused("damaged")

    def test_main_file(self) -> None:
        self.zip("anna.zip", {"02/a.cu": CODE, "02/b.cu": CODE})
        self.assert_refused("none is called reduce.cu")
        self.zip("anna.zip", {"02/a/reduce.cu": CODE, "02/b/reduce.cu": CODE})
        self.assert_refused("in more than one folder, a, b")
        self.zip("anna.zip", {"02/scan.cc": CODE})
        self.assert_refused("there is no .cu file: hand in reduce.cu")
        self.zip("anna.zip", {"reduce.cu": CODE})
        one = self.assert_refused("belongs to no lab: put each lab's files into a folder with its number")
        self.assertIsNone(one.lab)

    def test_a_whole_class(self) -> None:
        """A class as in the trial. Each submission finds its owner and its lab, and only those are refused that must
        be."""
        folder = self.folder / "class"
        with contextlib.redirect_stdout(io.StringIO()):
            make_class.make(folder, 80, random.Random(1), set())
        expected = json.loads(make_class.side_file(folder).read_text(encoding="utf-8"))
        self.folder = folder
        found = {one.student: (one.lab, one.refusal) for one in self.read()}
        self.assertEqual(self.strangers, [])
        self.assertEqual(
            {student: lab for student, (lab, _) in found.items()}, {s: e["lab"] for s, e in expected.items()}
        )
        refused = sorted(student for student, (_, refusal) in found.items() if refusal)
        self.assertEqual(refused, sorted(s for s, e in expected.items() if e["verdict"] == "refused"))

    def test_names_of_students(self) -> None:
        self.assertEqual(intake.student_key("Ana María O'Neil"), "Ana María O'Neil")
        odd = {intake.student_key(name) for name in ("a/b", "a\nb", "a:b", "..", ".", "", "a\u202eb", "x" * 300)}
        self.assertEqual(len(odd), 8)
        for key in odd:
            self.assertTrue(key.isprintable() and "/" not in key and not key.startswith("."), key)
        alike = (
            "Ada",
            "ada",
            "Ada.",
            "Ada ",
            " Ada",
            "Ad\u0061\u0301",
            "Ad\u00e1",
            "Ada\udce9",
            "Ada%E9",
            "\u0100" * 60,
        )
        long = ["\U00010400" * 62 + end for end in ("a", "b")]
        keys = [intake.student_key(name) for name in (*alike, *long)]
        self.assertEqual(len({*keys}), len(keys))
        for key in keys:
            self.assertLess(len(f".{key}.html.new".encode()), 255)
            self.assertEqual(intake.student_key(key) == key, "~" not in key and "%" not in key)


if __name__ == "__main__":
    unittest.main()
