"""watch: ./lab watch. Grades a lab's file each time it is saved, until the learner ends it. An edit during a check
stops that check and begins another.

What should be done next is a word in one queue: "look" (the file may have changed), "redraw", or a key. One task reads
the queue, and begins and ends the others: the check, the report, and the one that hears of changes."""

import asyncio
import contextlib
import importlib.util
import os
import signal
from argparse import Namespace
from collections.abc import Coroutine, Iterator

from launcher import check, page, problems, setup
from launcher.check import Graded, Request
from launcher.console import paint, say
from launcher.language import _, later
from launcher.paths import ROOT, shown
from launcher.verdict_text import dressed

from . import hint, judging, ladder, prediction
from .check import after, counts_for_progress
from .home import TOP
from .screen import GONE, Screen

KEYS = {"h": later("hint"), "r": later("report"), "n": later("next"), "c": later("check again"), "q": later("quit")}
END = ("q", "\x03", "\x04", GONE)  # Ctrl-C and Ctrl-D, too
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LOOK_MS = 1000  # at the latest; a network's file system tells nothing


def run(arguments: Namespace) -> int:
    lab = ladder.chosen(arguments.lab)
    if lab is None:
        say(_(TOP))
        return 0
    arguments.lab = lab.number
    _request(arguments)  # wrong options are refused before anything is installed
    setup.go_on_in_watch_python()
    with Screen() as screen:
        return asyncio.run(Watch(arguments, screen).run())


def is_installed() -> bool:
    return importlib.util.find_spec("watchfiles") is not None


def _request(arguments: Namespace) -> Request:
    """./lab check with nothing but the options that the watch has, too."""
    rest = {"input": None, "case": None, "seed": None, "schedules": None, "thorough": False, "json": None}
    return check.read(Namespace(**rest | vars(arguments)))


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """A signal ends a question or a build as it ends any command. asyncio alone would wait for the answer."""
    loop = asyncio.get_running_loop()
    for number in ENDING:
        loop.remove_signal_handler(number)
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    yield


class Watch:
    def __init__(self, arguments: Namespace, screen: Screen) -> None:
        self.arguments_, self.screen_ = arguments, screen
        self.queue_: asyncio.Queue[str] = asyncio.Queue()
        self.tasks_: dict[str, asyncio.Task[None]] = {}
        self.lines_: list[str] = []  # of the last verdict, or of the failed case before there is one
        self.extra_: list[str] = []  # of a hint or a report
        self.note_ = ""  # how the check began, and how far it is
        self.verdict_ = "none"

    async def run(self) -> int:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGWINCH, self.queue_.put_nowait, "redraw")
        loop.add_signal_handler(signal.SIGTSTP, self._pause)
        if self.screen_.has_keys:
            loop.add_reader(self.screen_.descriptor(), self._keys)
        try:
            await self._begin()
            while (word := await self.queue_.get()) not in END:
                await self._do(word)
        finally:
            for name in list(self.tasks_):
                await self._stop(name)
        return 0

    def _keys(self) -> None:
        for key in self.screen_.pressed():
            self.queue_.put_nowait(key)

    async def _do(self, word: str) -> None:
        match word:
            case "look":
                await self._look()
            case "c":
                self.content_ = None
                await self._look(_("Checking again"))
            case "h":
                self._show_extra(hint.lines(self.request_.lab))
            case "r" if self._has_report():
                await self._stop("report")
                self._start("report", self._report())
            case "n":
                await self._next()
            case "redraw":
                self._show()

    async def _begin(self) -> None:
        """Sets up, asks and begins with the lab that the arguments name."""
        self.request_ = _request(self.arguments_)
        with self.screen_.given_back(), _ended_by_signals():
            self.tree_ = check.prepare(self.request_.lab, self.request_.where)
            if counts_for_progress(self.request_):
                prediction.ask_once(self.request_.lab)
        for number in ENDING:
            asyncio.get_running_loop().add_signal_handler(number, self.queue_.put_nowait, "q")
        lab = self.request_.lab
        self.content_: bytes | None = None
        self.lines_ = [paint(f"{lab.number} {_(lab.title)} · {shown(self.request_.file)}", "strong")]
        self.extra_, self.note_ = [], f"{_('Checking')} …"
        self._show()
        await self._look(_("Checking"))
        self._start("changes", self._changes())

    async def _changes(self) -> None:
        from watchfiles import awatch

        folders = {path.parent for path in (self.request_.file, self.request_.file.resolve())}
        while True:  # a folder that goes away may come back
            with contextlib.suppress(OSError, RuntimeError):
                async for _changes in awatch(
                    *folders, recursive=False, debounce=200, step=20, rust_timeout=LOOK_MS, yield_on_timeout=True
                ):
                    self.queue_.put_nowait("look")
            await asyncio.sleep(LOOK_MS / 1000)

    async def _look(self, anew: str = "") -> None:
        """Begins a check if the file has another content than the one that was checked last. anew: so that check is
        called if the file was not checked before."""
        try:
            content = self.request_.file.read_bytes()
        except OSError:
            if self.content_ is not None or anew:
                self.content_ = None
                await self._stop("check")
                self.note_ = _("{file} is not there. It is checked as soon as it is.", file=self.request_.file.name)
                self._show()
            return
        if content == self.content_:
            return
        self.content_ = content
        begun = "check" in self.tasks_ and not self.tasks_["check"].done()
        await self._check(_("The file has changed: checking again") if begun else anew or _("Checking"))

    async def _check(self, note: str) -> None:
        await self._stop("check")
        self.extra_ = []
        self._start("check", self._grade(note))

    async def _grade(self, note: str) -> None:
        self._say(f"{note} …")
        command = check.judge_command(self.request_, self.tree_)
        told = False
        async with contextlib.aclosing(judging.run(command)) as events:
            async for event in events:
                if isinstance(event, judging.Judged):
                    self._judged(event)
                elif event["event"] == "compiled":
                    self._say(_("{note}: compiled …", note=note))
                elif event["passed"]:
                    passed, planned = event["cases_passed"], event["cases_planned"]
                    text = _("{note}: {passed} of {planned} cases pass …", note=note, passed=passed, planned=planned)
                    self._say(text, fleeting=True)
                elif not told and "check" in event:
                    told = True
                    self.lines_ = [
                        paint(f"  ✗ {event['check']}", "bad"),
                        *(paint(f"    {page.said(step)}", "") for step in event["steps"]),
                    ]
                    self.note_ = _("{note}: looking for the cause …", note=note)
                    self._show()

    def _judged(self, judged: judging.Judged) -> None:
        self.verdict_ = judged.verdict.get("verdict", "none")
        self.lines_ = dressed(judged.text, judged.verdict)
        if not judged.verdict:
            self.lines_.append(paint(_("The judge came to no verdict. Press c to check again."), "bad"))
        elif counts_for_progress(self.request_):
            self.lines_ += after(self.request_, Graded(0, judged.verdict))
        if self.arguments_.problems:
            self.lines_ += [paint(line, "") for line in ["", *problems.lines(judged.verdict)]]
        self.note_ = ""
        self._show()

    async def _report(self) -> None:
        self._show_extra([paint(_("Drawing the report …"), "weak")])
        words = [str(ROOT / "lab"), "report", self.request_.lab.number, "--file", str(self.request_.file)]
        report = await asyncio.create_subprocess_exec(
            *words, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        try:
            said, _errors = await report.communicate()
            self._show_extra([paint(line, "") for line in said.decode("utf-8", "replace").splitlines()])
        finally:
            if report.returncode is None:
                report.terminate()

    async def _next(self) -> None:
        rung = ladder.following(ladder.rungs(), besides=self.request_.lab.number)
        if rung is None:
            self._show_extra([_(TOP)])
            return
        for name in list(self.tasks_):
            await self._stop(name)
        self.arguments_.lab, self.arguments_.file = rung.lab.number, None
        await self._begin()

    def _start(self, name: str, work: Coroutine[None, None, None]) -> None:
        self.tasks_[name] = asyncio.create_task(work)
        self.tasks_[name].add_done_callback(self._failed)

    async def _stop(self, name: str) -> None:
        task = self.tasks_.pop(name, None)
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task

    def _failed(self, task: "asyncio.Task[None]") -> None:
        """A mistake of ours must not look like a check that never ends."""
        if not task.cancelled() and (error := task.exception()) is not None:
            self.note_ = ""
            self._show_extra([paint(f"lab: {error!r}", "bad")])

    def _pause(self) -> None:
        """Ctrl-Z: the shell gets its terminal back, and we get it again when the shell lets us go on."""
        with self.screen_.given_back():
            os.kill(os.getpid(), signal.SIGSTOP)
        self._show()

    def _has_report(self) -> bool:
        return "report" in self.arguments_.commands

    def _show_extra(self, lines: list[str]) -> None:
        self.extra_ = ["", *lines]
        self._show()

    def _show(self) -> None:
        self.screen_.show([*self.lines_, *self.extra_], self.note_ or self._waiting())

    def _say(self, note: str, fleeting: bool = False) -> None:
        self.note_ = note
        self.screen_.status(note, fleeting)

    def _waiting(self) -> str:
        if not self.screen_.has_keys:
            return _("Verdict: {verdict}. Waiting for the file to be saved.", verdict=_(self.verdict_))
        return "  ".join(f"{key} {_(what)}" for key, what in KEYS.items() if key != "r" or self._has_report())
