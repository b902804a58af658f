"""Trees as flat lists of nodes, and forests of them as the engine's file `forest`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
FLOAT32_MAX = float(np.finfo("float32").max)


@dataclass(frozen=True)
class Flat:
    """One tree, node by node; feature −1 is a leaf."""

    feature: Array
    threshold: Array
    left: Array
    right: Array
    missing_left: Array
    #: Categories that go left, by node.
    categories: dict[int, list[int]]

    def document(self) -> dict[str, Any]:
        split = self.feature >= 0
        told: dict[str, Any] = {
            "feature": self.feature.tolist(),
            "threshold": self.threshold[split].tolist(),
            "left": self.left[split].tolist(),
            "right": self.right[split].tolist(),
        }
        if self.missing_left.any():
            told["missingLeft"] = self.missing_left[split].astype("int64").tolist()
        if self.categories:
            told["categories"] = {str(node): members for node, members in self.categories.items()}
        return told


def sklearn_tree(tree: Any) -> Flat:
    split = tree.children_left >= 0
    missing = getattr(tree, "missing_go_to_left", None)
    return Flat(
        feature=np.where(split, tree.feature, -1).astype("int64"),
        threshold=np.clip(tree.threshold, -FLOAT32_MAX, FLOAT32_MAX).astype("float64"),  # infinite where it parts gaps from all others
        left=np.asarray(tree.children_left, dtype="int64"),
        right=np.asarray(tree.children_right, dtype="int64"),
        missing_left=np.zeros(len(split), dtype="int64") if missing is None else np.asarray(missing, dtype="int64"),
        categories={},
    )


def hist_tree(predictor: Any) -> tuple[Flat, Array]:
    nodes = predictor.nodes
    leaf = nodes["is_leaf"].astype(bool)
    categories = {}
    for node in np.flatnonzero(nodes["is_categorical"].astype(bool) & ~leaf):
        words = predictor.raw_left_cat_bitsets[nodes["bitset_idx"][node]]
        categories[int(node)] = [32 * w + b for w, word in enumerate(words) for b in range(32) if int(word) >> b & 1]
    flat = Flat(
        feature=np.where(leaf, -1, nodes["feature_idx"]).astype("int64"),
        threshold=np.where(np.isfinite(nodes["num_threshold"]), nodes["num_threshold"], np.finfo("float64").max),
        left=nodes["left"].astype("int64"),
        right=nodes["right"].astype("int64"),
        missing_left=nodes["missing_go_to_left"].astype("int64"),
        categories=categories,
    )
    return flat, nodes["value"]


def forest(
    outputs: Sequence[str], cols: int, link: str, trees: Sequence[Flat], values: Sequence[Sequence[Array]], base: Sequence[float]
) -> dict[str, Any]:
    """A forest whose outputs share its trees, of a library that compares in float32."""
    return joined(outputs, cols, link, [trees] * len(values), values, base, float32=True)


def joined(
    outputs: Sequence[str],
    cols: int,
    link: str,
    grown: Sequence[Sequence[Flat]],
    values: Sequence[Sequence[Array]],
    base: Sequence[float],
    float32: bool,
) -> dict[str, Any]:
    """Trees of each margin with their values at the leaves; trees that margins share are told once."""
    shapes: list[dict[str, Any]] = []
    starts: dict[int, int] = {}
    forests = []
    for trees, leaves, start in zip(grown, values, base):
        if id(trees) not in starts:
            starts[id(trees)] = len(shapes)
            shapes += [tree.document() for tree in trees]
        told = [np.asarray(v, dtype="float64")[tree.feature < 0].tolist() for tree, v in zip(trees, leaves)]
        forests.append({"base": float(start), "first": starts[id(trees)], "values": told})
    return {
        **{"type": "forest", "version": 1, "outputs": list(outputs), "cols": cols},
        **{"link": link, "float32": float32, "trees": shapes, "forests": forests},
    }
