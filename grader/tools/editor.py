"""editor: ./lab editor. It installs clangd and writes build/labs/compile_commands.json, which .clangd names."""

from argparse import Namespace

from launcher import build, setup
from launcher.console import Failure, say
from launcher.language import _
from launcher.paths import BUILD, ROOT, VENV, shown


def run(arguments: Namespace) -> int:
    if BUILD != ROOT / "build":
        raise Failure(_("clangd looks into build/ alone. Run this without WARPLADDER_BUILD_DIR."))
    tree = build.configure("lockstep", setup.prepare(editor=True))
    build.build(tree, ["build.ninja"], "Configuring")  # a tree from before may not know every lab
    say(_("Editors can use {folder}/bin/clangd now. docs/editors.md says how.", folder=shown(VENV)))
    return 0
