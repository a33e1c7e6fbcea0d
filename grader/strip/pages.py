"""pages: a page of the course → the same page in a learners' repository. A link to a file that is not there becomes
plain text, README.md says what is missing, and a Chinese page has no record of what was read: it names the texts as
they were before."""

import posixpath
import re

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
RECORD = re.compile(r"\n<!-- checked: .* -->\n\Z")  # of common/translation
FENCED = re.compile(r"(^```.*?^```)", re.DOTALL | re.MULTILINE)
NOTES = {
    "README.md": """\
> **This is a learners' repository.** It has no `solutions/`, and no tests of the course's own code. Your instructor's
> repository has them, also where a page here speaks of them. A speedup is measured over the solution of the rung below.
> For that, some solutions are in `baselines/`, compiled. `./lab solution` has nothing to show.
""",
    "README.zh.md": """\
> **这是学习者的仓库。** 这里没有 `solutions/`，也没有课程自身代码的测试。页面中提到的这些内容在教师的仓库里。
> 加速比以下面一级的参考答案为基准，因此 `baselines/` 中有一些编译好的参考答案。
> 在这里，`./lab solution` 没有可以显示的内容。
""",
}


def stripped(page: str, text: str, known: set[str]) -> str:
    """page: its path from the root. known: the files and folders of the learners' repository."""
    parts = FENCED.split(text)  # every second part is code, and stays
    parts[::2] = [LINK.sub(lambda link: _live(page, link, known), part) for part in parts[::2]]
    whole = RECORD.sub("", "".join(parts))
    if note := NOTES.get(page):
        heading, rest = whole.split("\n", 1)
        whole = f"{heading}\n\n{note}{rest}"
    return whole


def _live(page: str, link: re.Match[str], known: set[str]) -> str:
    target = link[3].split("#")[0]
    if not target or re.match(r"[a-z]+:", target):
        return link[0]
    place = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
    return link[0] if place in known else link[2]
