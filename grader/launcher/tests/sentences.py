"""sentences: English sentences in a text that should be Chinese."""

import re

CHINESE = re.compile("[\u4e00-\u9fff]")
# Three English words in a row are a sentence. Names, options, paths and code are not words.
SENTENCE = re.compile(r"(?<![\w./\\-])[A-Za-z]{2,},? [a-z]{2,},? [a-z]{2,}(?![\w./-])")
# What a person types.
CODE = re.compile(r"`[^`]*`|https?://\S+|\./lab [\w ]+|git (?:remote|push) [\w -]+|(?:apt-get|pip) install [\w-]+")
# What another program calls its things.
NAMES = re.compile(
    r"bubblewrap, seccomp, limits|Grades, Export, Export Entire Gradebook|Submissions, Download .* worksheet"
    r"|Offline .* worksheet"
)


def english(text: str) -> list[str]:
    return SENTENCE.findall(NAMES.sub("", CODE.sub("", text)))
