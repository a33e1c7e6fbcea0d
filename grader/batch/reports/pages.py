"""pages: grades → HTML: a page for each student and one for the class. Each page is one file that needs no other file
and no network. The templates escape everything that they are given."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import ChainableUndefined, Environment, FileSystemLoader
from launcher.labs import Lab
from launcher.language import _, chosen, filled, later
from markupsafe import Markup

from . import checks, plots, text
from .alike import Alike
from .grades import ACCEPTED, CHEATING, INCONCLUSIVE, JUDGE_FAULT, REFUSED, Course, Grade, passed
from .similarity import THRESHOLD

TEMPLATES = Path(__file__).parent / "templates"
KINDS = (later("measured"), later("modelled"))  # of a speedup
ALIKE = 60  # the most rows of similar submissions; equal ones are all listed
ATTENTION = {
    JUDGE_FAULT: later("Judge faults: no fault of the code, and no grade. Read what happened, then grade these again."),
    CHEATING: later("Cheating suspected: read the code before anybody else hears of it."),
    REFUSED: later("Refused at intake: nothing was graded. If all of an entry was refused, it counts 0 in every lab."),
    INCONCLUSIVE: later("Speed inconclusive: no points were lost; measure again on a quiet card if it matters."),
}
KEPT = later("Graded earlier, and a judge fault since: the earlier grade stands. Grade these again.")


def environment(course: Course) -> Environment:
    labels = {lab.name: f"{lab.number} {_(lab.title)}" for lab in course.labs}
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=ChainableUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    shown = (text.name, text.number, text.points, text.ratio, text.visible, text.counted, text.file_name)
    made.filters |= {function.__name__: function for function in shown}
    made.filters["sentence"] = lambda said: said[:1].upper() + said[1:]
    made.filters["lab_label"] = lambda name: labels.get(name, name)
    by_name = {lab.name: lab for lab in course.labs}
    made.filters["explained"] = lambda check, lab_name: checks.explained(check, by_name.get(lab_name))
    made.filters["said"] = lambda texts, grade: _("; ").join(map(grade.said, texts))
    made.tests["passing"] = passed
    made.globals |= {"_": _translated, "later": later, "language": chosen()}
    # The style sheet is ours and has no <.
    made.globals["css"] = Markup((TEMPLATES / "style.css").read_text(encoding="utf-8"))
    return made


def _translated(form: str, /, **arguments: object) -> Markup:
    """An argument may be markup of a template. All else is escaped."""
    values = {key: Markup.escape(value) for key, value in arguments.items()}
    return Markup(filled(str(Markup.escape(_(form))), values))


def student(course: Course, who: str, templates: Environment) -> str:
    grades = course.of_student(who)
    return templates.get_template("student.html.j2").render(
        who=who,
        grades=grades,
        total=course.total(who),
        most=sum(grade.of for grade in grades),
        refused=course.is_refused(who),
        versions=_versions(grades),
    )


def class_page(course: Course, alike: Sequence[Alike], notes: Sequence[str], templates: Environment) -> str:
    kinds = [(_short(lab), Counter(grade.kind for grade in course.of_lab(lab))) for lab in course.labs]
    totals = [total for who in course.students if (total := course.total(who)) is not None]
    grades = list(course.grades.values())
    return templates.get_template("class.html.j2").render(
        course=course,
        attention=_attention(grades),
        notes=notes,
        verdicts=Counter(grade.verdict for grade in grades).most_common(),
        distribution=Markup(plots.distribution(totals, course.most())) if course.labs and totals else None,
        rates=Markup(plots.verdicts(kinds)) if kinds else None,
        speedups=[Markup(plots.speedups(rows, kind)) for kind, rows in _speedups(course).items()],
        lab_rows=[_lab_row(course, lab) for lab in course.labs],
        findings=_findings(grades),
        equal=[row for row in alike if row.is_equal],
        alike=(rest := [row for row in alike if not row.is_equal])[:ALIKE],
        more_alike=max(0, len(rest) - ALIKE),
        threshold=THRESHOLD,
        versions=_versions(grades),
    )


def feedback(grade: Grade) -> str:
    """Moodle shows this beside a grade, as HTML: a line for each part, then the steps that lost the first points."""
    why = grade.explanation()
    lines = [f"{grade.label}: {grade.verdict}"]
    lines += [f"{part['name']}: {part['points']} of {part['of']} ({part['why']})" for part in grade.parts]
    lines += [*why.steps[:3], *([f"Next: {why.next_step}"] if why.next_step else [])]
    return "<br>".join(str(Markup.escape(text.visible(line, 400))) for line in lines).replace("\n", "<br>")


def _versions(grades: Sequence[Grade]) -> list[str]:
    return sorted({str((grade.record.get("grader") or {}).get("version", "unknown")) for grade in grades})


def _attention(grades: Sequence[Grade]) -> list[tuple[str, list[Grade]]]:
    found = [(why, [grade for grade in grades if grade.verdict == verdict]) for verdict, why in ATTENTION.items()]
    found.insert(1, (KEPT, [grade for grade in grades if grade.record.get("kept")]))
    return [(why, those) for why, those in found if those]


def _short(lab: Lab) -> str:
    return text.visible(f"{lab.number} {_(lab.title)}", 34)


def _speedups(course: Course) -> dict[str, list[tuple[str, list[float]]]]:
    """Kind → speedups. Measured and modelled ones are never drawn together."""
    found: dict[str, list[tuple[str, list[float]]]] = defaultdict(list)
    for lab in course.labs:
        of_kind: dict[str, list[float]] = defaultdict(list)
        for grade in course.of_lab(lab):
            if grade.points is not None and (ratio := grade.speed.get("speedup")) is not None and ratio > 0:
                card = grade.speed.get("card")
                of_kind[f"{grade.speed.get('kind', KINDS[0])}{', ' + card if card else ''}"].append(ratio)
        for kind, ratios in of_kind.items():
            found[kind].append((_short(lab), ratios))
    return dict(sorted(found.items()))


def _lab_row(course: Course, lab: Lab) -> dict[str, Any]:
    grades = course.of_lab(lab)
    accepted = sum(grade.verdict == ACCEPTED for grade in grades)
    return {
        "lab": lab,
        "count": len(grades),
        "accepted": accepted,
        "share": 100 * accepted / len(grades),
        "median": course.median(lab),
        "of": max(grade.of for grade in grades),
    }


def _findings(grades: Sequence[Grade]) -> list[tuple[str, str, int, list[Grade]]]:
    """The checks that fail most. Names are cut after the kind, since case.reduce_sum.33 and .65 tell the same."""
    by_check: dict[tuple[str, str], list[Grade]] = defaultdict(list)
    for grade in grades:
        if grade.check:
            words = grade.check.split(".")
            by_check[grade.lab_name, ".".join(words[:2])].append(grade)
    rows = [(lab, check, len(those), those[:4]) for (lab, check), those in by_check.items()]
    return sorted(rows, key=lambda row: (-row[2], row[0], row[1]))[:20]
