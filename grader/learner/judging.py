"""judging: one run of the judge that tells what happens while it happens, and that can be stopped at any moment."""

import asyncio
import contextlib
import json
import os
import signal
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LONGEST = 1 << 20  # bytes of an event
PATIENCE = 3.0  # seconds that the judge gets to end what it has started


@dataclass(frozen=True)
class Judged:
    text: str
    verdict: dict[str, Any]  # empty: the judge came to none


Event = dict[str, Any]


async def run(command: list[str]) -> AsyncIterator[Event | Judged]:
    """Yields the judge's events, and last what it says. Whoever stops iterating (aclose) stops the judge."""
    reading, writing = os.pipe()
    with tempfile.TemporaryDirectory(prefix="warpladder-") as folder:
        written = Path(folder) / "verdict.json"
        try:
            judge = await asyncio.create_subprocess_exec(
                *command,
                *("--json", str(written), "--events", str(writing)),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                pass_fds=(writing,),
                start_new_session=True,  # a group of its own: it is ended as a whole, and Ctrl-C does not reach it
            )
        except BaseException:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        assert judge.stdout is not None
        said = asyncio.create_task(judge.stdout.read())
        try:
            async with _lines(reading) as lines:
                async for line in lines:
                    yield json.loads(line)
            text = (await said).decode("utf-8", "replace")
            await judge.wait()
            whole = judge.returncode in (0, 1, 2) and written.exists()
            yield Judged(text, json.loads(written.read_text(encoding="utf-8")) if whole else {})
        finally:
            said.cancel()
            await _end(judge)


@contextlib.asynccontextmanager
async def _lines(descriptor: int) -> AsyncIterator[asyncio.StreamReader]:
    reader = asyncio.StreamReader(limit=LONGEST)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb", buffering=0)
    )
    try:
        yield reader
    finally:
        transport.close()


async def _end(judge: asyncio.subprocess.Process) -> None:
    """The judge ends the processes that it has started, and then itself. If it does not, its group is killed; the
    system then kills the rest, as each of these processes dies with the judge."""
    if judge.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        judge.terminate()
        try:
            await asyncio.wait_for(judge.wait(), PATIENCE)
        except TimeoutError:
            os.killpg(judge.pid, signal.SIGKILL)
    await judge.wait()
