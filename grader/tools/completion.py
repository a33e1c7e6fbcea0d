"""completion: ./lab completion SHELL. shtab makes the script out of the options of ./lab; the functions below complete
labs and variants. They read the folders of the checkout whose lab is typed, so ./lab itself never runs."""

from argparse import Namespace

from launcher import setup
from launcher.console import talk_on_stderr
from launcher.language import _

FILES = ("F", "F.cu", "A.cu", "B.cu", "F.json", "F.jsonl", "F.zip", "FILE", "ROSTER.csv", "WORKSHEET.csv", "PROGRAM")
FOLDERS = ("DIR", "FOLDER", "SUBMISSIONS")
LABS = {"bash": "_lab_numbers", "zsh": "_lab_numbers"}
VARIANTS = {"bash": "_lab_variants", "zsh": "_lab_variants"}

BASH = r"""
_lab_root() {
  local lab
  lab=$(type -P "${COMP_WORDS[0]/#\~/$HOME}") && dirname "$(readlink -f "$lab")"
}
# Numbers; after 03_ the whole name.
_lab_numbers() {
  local folder name names=()
  for folder in "$(_lab_root)"/labs/[0-9]*/; do
    name=$(basename "$folder")
    [[ $1 == *_* ]] && names+=("$name") || names+=("${name%%_*}")
  done
  compgen -W "${names[*]}" -- "$1"
}
_lab_variants() {
  local file names=() number=${COMP_WORDS[COMP_CWORD-1]%%_*}
  [[ $number =~ ^[0-9]+$ ]] || return
  for file in "$(_lab_root)"/solutions/"$(printf %02d "$((10#$number))")"_*/wrong/*.*; do
    [[ -e $file ]] || return  # a learners' repository has no solutions
    file=$(basename "$file")
    names+=("${file%.*}")
  done
  compgen -W "${names[*]}" -- "$1"
}
"""
ZSH = r"""
_lab_root() {
  local lab=${_comp_command1/#\~/$HOME}
  [[ $lab == */* ]] || lab=$commands[$lab]
  print -r -- ${lab:A:h}
}
_lab_numbers() {
  local folder
  local -a labs
  for folder in $(_lab_root)/labs/[0-9]*(N/:t); do labs+=("${folder%%_*}:${${folder#*_}//_/ }"); done
  [[ $PREFIX == *_* ]] && labs=($(_lab_root)/labs/[0-9]*(N/:t))
  _describe lab labs
}
_lab_variants() {
  local number=${words[CURRENT-1]%%_*}
  [[ $number == <-> ]] && compadd -- $(_lab_root)/solutions/${(l:2::0:)number}_*/wrong/*.*(N:t:r)
}
"""


def run(arguments: Namespace) -> int:
    talk_on_stderr()
    setup.go_on_in_completion_python()
    print(_script(arguments))
    return 0


def _script(arguments: Namespace) -> str:
    """What the shell has to read. Changes the parser, so nothing may be parsed after it."""
    import shtab

    arguments_of = {"NN": LABS, "MM": LABS, "VARIANT": VARIANTS}
    arguments_of |= dict.fromkeys(FILES, shtab.FILE) | dict.fromkeys(FOLDERS, shtab.DIRECTORY)
    for command in arguments.commands.choices.values():
        command.description = None  # zsh shows the short help instead
        for action in command._actions:
            action.help = action.help and _(action.help)
            if known := arguments_of.get(action.metavar):
                action.complete = known
    for shown in arguments.commands._choices_actions:
        shown.help = _(shown.help)
    arguments.commands.help = _("command")  # ./lab --help lists the commands itself, and suppresses this list
    arguments.parser.prog = "lab"  # whatever path leads to it
    return shtab.complete(arguments.parser, arguments.shell, preamble={"bash": BASH, "zsh": ZSH})
