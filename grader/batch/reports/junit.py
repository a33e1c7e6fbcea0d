"""junit: grades → JUnit XML. A test suite is one lab of one student; its tests are the verdict and each case. The type
of a failure or error is the verdict, so that a reader can tell a time limit from a wrong answer.

failure: the code is wrong. error: there is no verdict on the code (judge fault, refused). skipped: not decided
(inconclusive), or not run because an earlier check failed."""

import xml.etree.ElementTree as ElementTree

from .grades import ACCEPTED, INCONCLUSIVE, NOT_GRADED, Course, Grade, passed
from .text import visible, xml


def suites(course: Course) -> str:
    root = ElementTree.Element("testsuites", name="Warpladder")
    root.extend(map(_suite, course.grades.values()))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _suite(grade: Grade) -> ElementTree.Element:
    name = f"{visible(grade.student, 200)}.{grade.lab_name}"
    tests = [_verdict(grade, name), *_cases(grade, name)]
    counts = {kind: str(sum(test.find(tag) is not None for test in tests)) for kind, tag in KINDS.items()}
    suite = ElementTree.Element("testsuite", name=xml(name), tests=str(len(tests)), **counts)
    suite.set("time", f"{float(grade.record.get('seconds') or 0):.3f}")
    suite.extend(tests)
    return suite


KINDS = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def _verdict(grade: Grade, name: str) -> ElementTree.Element:
    if grade.verdict == ACCEPTED:
        return _test(name, "verdict")
    why = grade.explanation()
    text = visible("\n".join([*why.steps, *filter(None, [why.printed, why.next_step])]))
    message = visible(": ".join(filter(None, [grade.verdict, why.steps[0] if why.steps else grade.check])))
    if grade.verdict == INCONCLUSIVE:
        return _test(name, "verdict", "skipped", message=xml(message))
    kind = "error" if grade.verdict in NOT_GRADED else "failure"
    return _test(name, "verdict", kind, xml(text), type=xml(grade.verdict), message=xml(message))


def _cases(grade: Grade, name: str) -> list[ElementTree.Element]:
    if grade.points is None:
        return []  # a judge that failed gives no verdict on the code
    found = [(case["name"], passed(case), "see verdict") for case in grade.public_cases]
    if (hidden := grade.hidden) is not None:
        counts = f"{hidden.passed} of {hidden.of} hidden cases pass"
        found.append(("hidden", hidden.passed >= hidden.of, counts))
    wrong = xml(grade.verdict)
    tests = [_test(name, case, "" if good else "failure", type=wrong, message=says) for case, good, says in found]
    if (not_run := grade.cases_not_run) > 0:
        says = f"{not_run} cases come after the check that failed"
        tests.append(_test(name, "cases not run", "skipped", message=says))
    return tests


def _test(suite: str, name: str, outcome: str = "", text: str | None = None, **facts: str) -> ElementTree.Element:
    """outcome: the element that says what went wrong, if anything did; it has this text and these facts."""
    test = ElementTree.Element("testcase", classname=xml(suite), name=xml(name), time="0")
    if outcome:
        ElementTree.SubElement(test, outcome, facts).text = text
    return test
