"""reading: what the tests of the reports share: a course of some records, and readers of CSV, of pages and of JUnit."""

import csv
import importlib.util
import io
import os
import re
import unittest
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from typing import Any

from batch.reports import grades
from batch.tests import course
from launcher import wheels


def need_packages(test: str) -> None:
    """Starts the test again in the Python that has the packages of ./lab grade."""
    if importlib.util.find_spec("copydetect") is None or importlib.util.find_spec("jinja2") is None:
        if not wheels.installed(wheels.GRADE):
            raise unittest.SkipTest("what ./lab grade reports with is not installed; ./lab test installs it")
        os.execv(wheels.PYTHON, [wheels.PYTHON, "-m", "unittest", "-v", test])


def course_of(*records: dict[str, Any]) -> grades.Course:
    return grades.Course.of_records(records, course.LABS)


def rows(csv_text: str, separator: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(csv_text.removeprefix("\ufeff"), newline=""), delimiter=separator))


class Page(HTMLParser):
    """The parts of a page that would run, load or stay open; its ids, links and text."""

    EMPTY = {"meta", "br", "link", "img", "input", "hr"}
    FORBIDDEN = {"script", "iframe", "object", "embed", "img", "link", "form", "base", "foreignobject"}

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open_: list[str] = []
        self.wrong_: list[str] = []
        self.links_: list[str] = []
        self.ids_: list[str] = []
        self.words_: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in self.FORBIDDEN:
            self.wrong_.append(f"<{tag}>")
        for name, value in attributes:
            value = value or ""
            if name.startswith("on") or name in ("src", "srcset", "action"):
                self.wrong_.append(f"{tag} {name}={value}")
            if name == "href" and tag == "a":
                self.links_.append(value)
            if name == "id":
                self.ids_.append(value)
            if "url(" in value and "url(#" not in value:
                self.wrong_.append(f"{tag} {name}={value}")
        if tag not in self.EMPTY:
            self.open_.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in self.EMPTY:
            self.open_.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self.open_ or self.open_.pop() != tag:
            self.wrong_.append(f"</{tag}> without a beginning")

    def handle_data(self, data: str) -> None:
        if self.open_ and self.open_[-1] == "style":
            self.wrong_ += re.findall(r"@import|url\(|expression\(", data)
        else:
            self.words_.append(data)

    def text(self) -> str:
        return " ".join(" ".join(self.words_).split())


def junit_complaints(root: ElementTree.Element) -> list[str]:
    """Violations of the rules that the JUnit schemas of Jenkins, Maven and others share."""
    wrong = [] if root.tag == "testsuites" else [f"the root is {root.tag}"]
    for suite in root:
        if suite.tag != "testsuite" or not suite.get("name"):
            wrong.append(f"{suite.tag} without a name")
        for kind, tag in (("tests", "*"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            path = "testcase" if tag == "*" else f"testcase/{tag}"
            if suite.get(kind) != str(len(suite.findall(path))):
                wrong.append(f"{suite.get('name')}: {kind}={suite.get(kind)}")
        float(suite.get("time", ""))
        names = [case.get("name") for case in suite]
        if len(names) != len(set(names)) or not all(names):
            wrong.append(f"{suite.get('name')}: names {names}")
        for case in suite:
            if case.tag != "testcase" or set(case.keys()) != {"classname", "name", "time"} or len(case) > 1:
                wrong.append(f"{case.tag} {case.attrib}")
            for outcome in case:
                allowed = {"failure": {"type", "message"}, "error": {"type", "message"}, "skipped": {"message"}}
                if set(outcome.keys()) != allowed.get(outcome.tag):
                    wrong.append(f"{outcome.tag} {outcome.attrib}")
    return wrong
