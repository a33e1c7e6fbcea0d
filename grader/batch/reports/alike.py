"""alike: equal and similar sources of one lab → the groups that the class page lists. In a group everybody is alike
with everybody; where two groups are alike only in part, a row of its own says so."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .similarity import Pair


@dataclass(frozen=True)
class Alike:
    lab: str
    some: list[str]
    others: list[str]  # empty: those of some are alike among themselves
    least: float  # the share in common, 0 … 1, of the pair that has least in common
    most: float
    is_equal: bool = False  # the same text throughout


@dataclass
class _Cluster:
    heads: list[str]
    shares: list[float] = field(default_factory=list)  # of the pairs inside
    links: dict[int, list[float]] = field(default_factory=dict)  # another cluster → the shares of the pairs with it


def first_of_equals(files: Mapping[str, str]) -> dict[str, list[str]]:
    """The first student of each text → all who have it."""
    by_text: dict[str, list[str]] = defaultdict(list)
    for student, text in sorted(files.items()):
        by_text[text].append(student)
    return {those[0]: those for those in by_text.values()}


def groups(equals: Mapping[str, Mapping[str, list[str]]], pairs: Sequence[Pair]) -> list[Alike]:
    """equals: lab → the first student of each text → all who have it. pairs: of these first ones. Groups of one text
    come first, then those that have most in common."""
    found: list[Alike] = []
    for lab, members in equals.items():
        found += _of_lab(lab, members, [pair for pair in pairs if pair.lab == lab])
    return sorted(found, key=lambda row: (not row.is_equal, -row.most, -len(row.some), row.lab, row.some, row.others))


def _of_lab(lab: str, members: Mapping[str, list[str]], pairs: Sequence[Pair]) -> list[Alike]:
    found = [Alike(lab, those, [], 1, 1, is_equal=True) for those in members.values() if len(those) > 1]

    def everybody(cluster: _Cluster) -> list[str]:
        return sorted(student for head in cluster.heads for student in members.get(head, [head]))

    clusters = _clusters(pairs)
    for at, cluster in clusters.items():
        if cluster.shares:
            found.append(Alike(lab, everybody(cluster), [], min(cluster.shares), max(cluster.shares)))
        for other, shares in cluster.links.items():
            if at < other:
                found.append(Alike(lab, everybody(cluster), everybody(clusters[other]), min(shares), max(shares)))
    return found


def _clusters(pairs: Sequence[Pair]) -> dict[int, _Cluster]:
    """Joins two clusters, the most alike first, if each head of the one is alike with each head of the other. Without
    this condition a chain of small likenesses would make one group of half a class."""
    heads = sorted({who for pair in pairs for who in (pair.first, pair.second)})
    place = {head: at for at, head in enumerate(heads)}
    clusters = {at: _Cluster([head]) for head, at in place.items()}
    for pair in pairs:
        first, second = place[pair.first], place[pair.second]
        clusters[first].links[second] = [pair.alike]
        clusters[second].links[first] = [pair.alike]
    for pair in sorted(pairs, key=lambda pair: (-pair.alike, pair.first, pair.second)):
        one, other = place[pair.first], place[pair.second]
        if one == other:
            continue
        if len(clusters[one].links[other]) == len(clusters[one].heads) * len(clusters[other].heads):
            _join(clusters, one, other)
            place |= {head: one for head in clusters[one].heads}
    return clusters


def _join(clusters: dict[int, _Cluster], one: int, other: int) -> None:
    """The cluster other becomes a part of one."""
    kept, gone = clusters[one], clusters.pop(other)
    kept.heads += gone.heads
    kept.shares += gone.shares + kept.links.pop(other)
    del gone.links[one]
    for third, shares in gone.links.items():
        kept.links.setdefault(third, []).extend(shares)
        theirs = clusters[third].links
        theirs.setdefault(one, []).extend(theirs.pop(other))
