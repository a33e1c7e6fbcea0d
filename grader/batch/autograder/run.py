"""run: the work at Gradescope. set_up() runs once, when the image is made. run() runs for each submission:
/autograder/submission → judge → /autograder/results/results.json.

A fault of ours does not give a 0. run() itself runs as root and reads the hidden cases. The judge runs as another user,
which can write to neither of those folders.
"""

import json
import multiprocessing
import os
import pwd
import shutil
import tempfile
import threading
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from launcher import build, demo, judge, labs, setup
from launcher.console import Failure, say
from launcher.labs import Lab

from .. import intake, judging, records, version
from ..reports import gradescope, text
from ..reports.grades import Course, Grade

USER = "warpladder"
RESERVE_SECONDS = 60  # the part of Gradescope's limit that is kept for everything but the judge
DEVICE = "lockstep"


def set_up(autograder: Path) -> int:
    """Installs and builds, so that the first grading needs the judge alone."""
    assignment = _assignment(autograder)
    wanted = [labs.find_lab(assignment["lab"])] if assignment["lab"] else labs.all_labs()
    nvcc = setup.prepare(opencl=any(lab.is_opencl for lab in wanted))
    tree = build.configure(DEVICE, nvcc)
    build.build(tree, judge.targets(demo.buildable(wanted)), "Building what grades these labs")
    return 0


def run(autograder: Path) -> int:
    metadata = _metadata(autograder)
    earlier = gradescope.earlier_score(metadata)
    try:
        results = _grade(autograder, metadata, earlier)
    except Exception as error:
        traceback.print_exc()
        why = str(error) if isinstance(error, Failure) else type(error).__name__
        results = gradescope.trouble(why, earlier=earlier)
    text.write(autograder / "results" / "results.json", results)
    return 0


def _grade(autograder: Path, metadata: dict[str, Any], earlier: float | None) -> str:
    assignment = _assignment(autograder)
    only = labs.find_lab(assignment["lab"]) if assignment["lab"] else None
    hidden_file = autograder / "source" / "hidden"
    hidden = hidden_file.read_bytes() if hidden_file.exists() else None
    options = {"device": DEVICE, "seed": assignment["seed"]}
    grader = records.Grader(version.digest(), assignment["commit"], options)
    submissions = intake.of_folder(autograder / "submission", _student(metadata), labs.all_labs(), only)
    end = time.monotonic() + 60 * assignment["minutes"] - RESERVE_SECONDS
    found = []
    for left, submission in zip(range(len(submissions), 0, -1), submissions):
        if submission.refusal is not None or submission.lab is None:
            found.append(records.refusal(submission, grader))
            continue
        lab = labs.find_lab(submission.lab)
        seconds = max(1.0, (end - time.monotonic()) / left)
        outcome = _as_user(judging.Task(submission, grader, hidden), lab, seconds)
        found.append(records.make(submission, grader, outcome))
        steps = Grade(found[-1], lab).explanation(to_student=False).steps
        say("\n".join([f"{lab.name}: {outcome['verdict']} ({outcome['seconds']:.0f} s)", *steps]))
    course = Course.of_records(found, labs.all_labs())
    grades = [grade for student in course.students for grade in course.of_student(student)]
    return gradescope.results(grades, hidden_until=assignment["hidden_until"], earlier=earlier)


def _as_user(task: judging.Task, lab: Lab, seconds: float) -> dict[str, Any]:
    """The judge's outcome. The judge runs as USER, which setup.sh makes, if that user exists."""
    work = Path(tempfile.mkdtemp(prefix="warpladder-"))
    try:
        user = _user()
        if user is None:
            return _judged(task, lab, work, seconds)
        os.chown(work, user.pw_uid, user.pw_gid)
        fork = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(1, fork, initializer=_become, initargs=(user.pw_uid, user.pw_gid)) as pool:
            return pool.submit(_judged, task, lab, work, seconds).result()
    finally:  # a submission made the files in it: errors are ignored, and no permission is changed
        shutil.rmtree(work, ignore_errors=True)


def _judged(task: judging.Task, lab: Lab, work: Path, seconds: float) -> dict[str, Any]:
    late = threading.Event()
    timer = threading.Timer(seconds, late.set)
    timer.start()
    try:
        return judging.grade(task, lab, judging.Place(build.TREES[DEVICE], work, stop=late))
    except judging.Interrupted:
        raise Failure(f"{lab.name} was not graded within {seconds:.0f} s; give the assignment more time") from None
    finally:
        timer.cancel()


def _user() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(USER) if os.geteuid() == 0 else None
    except KeyError:
        return None


def _become(user: int, group: int) -> None:
    """Becomes that user. Linux then hides this process's files in /proc from other processes of the user."""
    os.setgroups([])
    os.setgid(group)
    os.setuid(user)


def _assignment(autograder: Path) -> dict[str, Any]:
    return json.loads((autograder / "source" / "assignment.json").read_text(encoding="utf-8"))


def _metadata(autograder: Path) -> dict[str, Any]:
    """The student and the earlier submissions. If the file cannot be read, grading goes on without it."""
    try:
        metadata = json.loads((autograder / "submission_metadata.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        say(f"submission_metadata.json: {error}")
        return {}
    return metadata if isinstance(metadata, dict) else {}


def _student(metadata: dict[str, Any]) -> str:
    users = metadata.get("users") or [{}]
    return str(users[0].get("email") or users[0].get("name") or "student")
