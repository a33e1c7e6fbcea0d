"""english: what is left in English of a text in another language, apart from source code and the names of things."""

import re
from collections.abc import Iterator
from typing import Any

# Two words in a row. What else may stand so: types of C++, what a person types, and the words of CUDA's errors.
WORDS = re.compile(r"(?<![\w./<>:-])[A-Za-z]?[a-z]+ [a-z]{2,}(?![\w(<:.=])")
CODE = re.compile(
    r"cudaError\w+: [a-z ()-]+|\b\w+ const\b|\b(?:unsigned|signed|long|const|volatile|struct|void) \w+\b"
    r"|fat binary|tensor map|nvcc(?: -\S+| shared| arch=\S+)*|-cudart shared|ulimit -v \w+|cmake --build \w+"
    r"|\(anonymous namespace\)|`[^`']*'"
)


def left(text: str) -> list[str]:
    return WORDS.findall(CODE.sub("", text))


def forms(value: Any) -> Iterator[str]:  # noqa: ANN401
    """The forms of all messages in a report or a verdict."""
    if isinstance(value, dict):
        if "form" in value:
            yield value["form"]
        for inner in value.values():
            yield from forms(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from forms(inner)
