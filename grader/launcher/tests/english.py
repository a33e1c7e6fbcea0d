"""english: what is left in English of a text in another language, apart from source code and the names of things."""

import re

# Two words in a row. What else may stand so: types of C++, what a person types, and the words of CUDA's errors.
WORDS = re.compile(r"(?<![\w./<>:-])[A-Za-z]?[a-z]+ [a-z]{2,}(?![\w(<:.=])")
CODE = re.compile(
    r"cudaError\w+: [a-z ()-]+|\b\w+ const\b|\b(?:unsigned|signed|long|const|volatile|struct|void) \w+\b"
    r"|fat binary|tensor map|nvcc(?: -\S+| shared| arch=\S+)*|-cudart shared|ulimit -v \w+|cmake --build \w+"
    r"|\(anonymous namespace\)|`[^`']*'"
)


def left(text: str) -> list[str]:
    return WORDS.findall(CODE.sub("", text))
