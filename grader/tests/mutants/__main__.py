"""The command of this folder: draws mutants by a seed, lets the tests look for them, and writes what became of each.

    .venv/bin/python -m grader.tests.mutants --seed 1 --count 200 --out docs/measurements/mutants_DATE.csv

The same command goes on where it stopped. --again tests the survivors of the file once more, after a test was added.
"""

import argparse
import sys
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from queue import SimpleQueue

from . import draw, wall
from .draw import Mutant
from .results import Results, counted, summary
from .tree import ROOT, SURVIVED, Broken, Outcome, Tree


def main() -> int:
    arguments = _parse()
    if trouble := wall.why_not():
        print(f"mutants: {trouble}")
        return 2
    try:
        results = Results(arguments.out, arguments.seed, ROOT)
        if arguments.again:
            todo = [row.mutant for row in results.rows if row.result == SURVIVED]
            _run(todo, results, arguments, len(results.rows) + 1)
        else:
            drawn = draw.draw(ROOT, arguments.seed)
            _run((one for one in drawn if results.find(one) is None), results, arguments, arguments.count)
    except (Broken, ValueError) as error:
        print(f"mutants: {error}")
        return 2
    except ModuleNotFoundError as error:
        if error.name != "universalmutator":
            raise
        print("mutants: universalmutator is missing. grader/tests/mutants/requirements.txt says how to install it.")
        return 2
    except KeyboardInterrupt:
        print("The same command goes on.")
    print(summary(results.rows))
    return 0


def _run(mutants: Iterable[Mutant], results: Results, arguments: argparse.Namespace, count: int) -> None:
    """Tests mutants until so many are counted, --jobs at a time. Each job has a tree of its own."""
    trees: SimpleQueue[Tree] = SimpleQueue()
    all_trees = []
    for number in range(arguments.jobs):
        folder = arguments.work / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        all_trees.append(Tree(folder, arguments.programs))
        trees.put(all_trees[-1])

    def test(mutant: Mutant) -> tuple[Mutant, Outcome]:
        tree = trees.get()
        try:
            return mutant, tree.test(mutant)
        finally:
            trees.put(tree)

    todo = iter(mutants)
    running: set[Future[tuple[Mutant, Outcome]]] = set()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        while counted(results.rows) < count:
            while len(running) < arguments.jobs and (mutant := next(todo, None)) is not None:
                running.add(pool.submit(test, mutant))
            if not running:
                break
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for one in done:
                _tell(results, *one.result())
        for one in running:
            _tell(results, *one.result())
    for name in sorted({name for tree in all_trees for name in tree.left_out()}):
        print(f"left out, since it does not pass here without a mutant: {name}")


def _tell(results: Results, mutant: Mutant, outcome: Outcome) -> None:
    results.store(mutant, outcome)
    print(f"{counted(results.rows):4} {mutant.file}:{mutant.line}: {outcome.result} {outcome.by}", flush=True)
    if outcome.result == SURVIVED:
        print(f"     - {mutant.before.strip()}\n     + {mutant.after.strip()}", flush=True)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m grader.tests.mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="which mutants are drawn")
    parser.add_argument("--count", type=int, default=200, help="how many mutants are tested; others are not counted")
    parser.add_argument("--out", type=Path, required=True, help="the CSV file")
    parser.add_argument("--again", action="store_true", help="test the survivors in the file once more")
    parser.add_argument("--jobs", type=int, default=1, help="mutants at a time; each needs 2 GB of disk")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "mutants", help="a folder for copies of the tree")
    parser.add_argument("--programs", type=Path, help="a build tree with the fault corpus (target lockstep_faults)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
