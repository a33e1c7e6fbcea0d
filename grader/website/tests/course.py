"""course: a small course in two languages, laid out like this one, for the tests of the site."""

from pathlib import Path

PAGES = {
    "README.md": """# A ladder

[简体中文](README.zh.md)

Begin at [the first lab](labs/00_hello/README.md#what-you-gain). [Scans](docs/scan.md), [figures](docs/figures.csv),
[tests](tests/) and [notes](tests/notes.md).
""",
    "README.zh.md": """# 梯子

[English](README.md)

从[第一个实验](labs/00_hello/README.zh.md#得到什么)开始。[扫描](docs/scan.md)、[数据](docs/figures.csv)、
[测试](tests/)和[笔记](tests/notes.md)。
""",
    "labs/00_hello/README.md": """# 00 Hello

<details><summary>A nudge</summary>

Use **two** buffers.
</details>

![The map](../../docs/map.svg#lab00)
<img src="../../docs/map.svg" width="270" alt="small">

## What you gain

| a | b |
|---|---|
| 1<!-- alone.16 --> | coalesced |
""",
    "labs/00_hello/README.zh.md": """# 00 你好

<details><summary>小提示</summary>

用**两个**缓冲区。
</details>

![地图](../../docs/map.svg#lab00)
<img src="../../docs/map.svg" width="270" alt="小">

## 得到什么？

| a | b |
|---|---|
| 1<!-- alone.16 --> | 共享内存 |
""",
    "docs/scan.md": "# Scans\n\n`%` and {curly}`braces` are GitHub's: $x$ and -- stay.\n\n% no comment\n",
    "docs/figures.csv": "a,b\n1,2\n",
    "docs/map.svg": '<svg xmlns="http://www.w3.org/2000/svg"><g id="lab00"/></svg>\n',
    "tests/notes.md": "# Notes\n\nBack to [the start](../README.md).\n",
    "tests/one.txt": "one\n",
}


def write(root: Path, pages: dict[str, str] = PAGES) -> Path:
    for name, text in pages.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root
