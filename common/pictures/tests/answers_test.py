"""Every rule of every lab has two answers in the lab's notes: how one meets it without climbing the rung, and how an
honest other way breaks it."""

import json
import re
import unittest
from pathlib import Path

TREE = Path(__file__).resolve().parents[3]
QUESTIONS = (
    "How would I meet this without climbing the rung?",
    "How would an honest other way break it?",
)
RULE = re.compile(r"^### (\w+)\n\n((?:.+\n)+)", re.MULTILINE)
SHORTEST = 3  # words of an answer


def complaints(rules: list[str], notes: str) -> list[str]:
    """A sentence for each answer that is missing, in notes that have a section `## Rules`."""
    _, _, after = notes.partition("\n## Rules\n")
    section = after.split("\n## ", 1)[0]
    answers = dict(RULE.findall(section))
    wrong = [f"answers for {name}, which is not a rule" for name in answers if name not in rules]
    for rule in rules:
        for question in QUESTIONS:
            given = re.search(rf"^- \*\*{re.escape(question)}\*\* (.+)$", answers.get(rule, ""), re.MULTILINE)
            if not given or len(given[1].split()) < SHORTEST:
                wrong.append(f"{rule}: {question}")
    return wrong


class Answers(unittest.TestCase):
    def test_every_rule_of_every_lab_has_both(self) -> None:
        files = sorted((TREE / "labs").glob("*/lab.json"))
        self.assertTrue(files)
        for file in files:
            rules = [rule["name"] for rule in json.loads(file.read_text(encoding="utf-8")).get("rules", [])]
            notes = (TREE / "solutions" / file.parent.name / "notes.md").read_text(encoding="utf-8")
            with self.subTest(lab=file.parent.name):
                self.assertEqual(len(rules), len(set(rules)), "two rules have one name")
                self.assertEqual([], complaints(rules, notes))

    def test_what_is_missing_is_named(self) -> None:
        first, second = (f"- **{question}** A sentence of five words.\n" for question in QUESTIONS)
        whole = f"# 01\n\n## Rules\n\n### few\n\n{first}{second}\n## Measured\n\nNothing.\n"
        self.assertEqual([], complaints(["few"], whole))
        self.assertEqual([f"few: {QUESTIONS[1]}"], complaints(["few"], whole.replace(second, "")))
        self.assertEqual(
            [f"few: {QUESTIONS[0]}"], complaints(["few"], whole.replace(first, f"- **{QUESTIONS[0]}** No.\n"))
        )
        self.assertEqual(2, len(complaints(["few", "many"], whole)))
        self.assertEqual(["answers for few, which is not a rule"], complaints([], whole))
        self.assertEqual(2, len(complaints(["few"], whole.replace("## Rules", "## Others"))))


if __name__ == "__main__":
    unittest.main()
