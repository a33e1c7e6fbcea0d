"""junit: grades → JUnit XML. A test suite is one lab of one student; its tests are the verdict and each case. The type
of a failure or error is the verdict, so that a reader can tell a time limit from a wrong answer.

failure: the code is wrong. error: there is no verdict on the code (judge fault, refused). skipped: not decided
(inconclusive), or not run because an earlier check failed."""

import xml.etree.ElementTree as ElementTree

from .grades import ACCEPTED, INCONCLUSIVE, NOT_GRADED, Course, Grade, passed
from .text import visible, xml


def suites(course: Course) -> str:
    root = ElementTree.Element("testsuites", name="Warpladder")
    for grade in course.grades.values():
        root.append(_suite(grade))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _suite(grade: Grade) -> ElementTree.Element:
    name = f"{visible(grade.student, 200)}.{grade.lab_name}"
    tests = [_verdict(grade, name), *_cases(grade, name)]
    counts = {kind: sum(test.find(tag) is not None for test in tests) for kind, tag in KINDS.items()}
    suite = ElementTree.Element(
        "testsuite", name=xml(name), tests=str(len(tests)), **{kind: str(count) for kind, count in counts.items()}
    )
    suite.set("time", f"{float(grade.record.get('seconds') or 0):.3f}")
    suite.extend(tests)
    return suite


KINDS = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def _verdict(grade: Grade, name: str) -> ElementTree.Element:
    test = _test(name, "verdict")
    if grade.verdict == ACCEPTED:
        return test
    why = grade.explanation()
    text = "\n".join([*why.steps, *filter(None, [why.printed, why.next_step])])
    message = ": ".join(filter(None, [grade.verdict, why.steps[0] if why.steps else grade.check]))
    if grade.verdict == INCONCLUSIVE:
        ElementTree.SubElement(test, "skipped", message=xml(message))
        return test
    kind = "error" if grade.verdict in NOT_GRADED else "failure"
    ElementTree.SubElement(test, kind, type=xml(grade.verdict), message=xml(message)).text = xml(text)
    return test


def _cases(grade: Grade, name: str) -> list[ElementTree.Element]:
    if grade.points is None:
        return []  # a judge that failed gives no verdict on the code
    tests = []
    for case in grade.public_cases:
        test = _test(name, case["name"])
        if not passed(case):
            ElementTree.SubElement(test, "failure", type=xml(grade.verdict), message="see verdict")
        tests.append(test)
    if (hidden := grade.hidden) is not None:
        test = _test(name, "hidden")
        if hidden.passed < hidden.of:
            counts = f"{hidden.passed} of {hidden.of} hidden cases pass"
            ElementTree.SubElement(test, "failure", type=xml(grade.verdict), message=counts)
        tests.append(test)
    if (not_run := grade.cases_not_run) > 0:
        test = _test(name, "cases not run")
        ElementTree.SubElement(test, "skipped", message=f"{not_run} cases come after the check that failed")
        tests.append(test)
    return tests


def _test(suite: str, name: str) -> ElementTree.Element:
    return ElementTree.Element("testcase", classname=xml(suite), name=xml(name), time="0")
