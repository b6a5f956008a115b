from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelrag.retriever import Fusion
from accelrag.retriever.fusing import fuse

SCORES = st.floats(0.001, 50, allow_nan=False)
RANKING = st.dictionaries(st.integers(0, 30), SCORES, max_size=12).map(
    lambda found: sorted(found.items(), key=lambda item: (-item[1], item[0]))
)
METHODS = st.sampled_from(["sum", "rrf", "dense", "lexical"])


@given(RANKING, RANKING, METHODS)
def test_every_passage_of_either_side_has_one_score_between_0_and_1(dense, lexical, method):
    fused = fuse(dense, lexical, Fusion(method=method))
    assert set(fused) == {i for i, _ in dense} | {i for i, _ in lexical}
    assert all(-1e-9 <= score <= 1 + 1e-9 for score in fused.values())


@given(RANKING, RANKING, METHODS)
def test_being_better_on_both_sides_is_never_worse_in_all(dense, lexical, method):
    fused = fuse(dense, lexical, Fusion(method=method))
    left, right = dict(dense), dict(lexical)
    both = [i for i in left if i in right]
    for a in both:
        for b in both:
            if left[a] > left[b] and right[a] > right[b]:
                assert fused[a] >= fused[b]


@given(RANKING, RANKING, st.floats(0.1, 10))
def test_the_scale_of_a_side_does_not_matter(dense, lexical, factor):
    scaled = [(i, score * factor) for i, score in lexical]
    a, b = fuse(dense, lexical, Fusion()), fuse(dense, scaled, Fusion())
    assert a.keys() == b.keys()
    assert all(a[i] == pytest.approx(b[i], abs=1e-6) for i in a)


def test_weighted_sum():
    fused = fuse([(1, 0.9), (2, 0.5), (3, 0.1)], [(2, 20.0), (4, 10.0)], Fusion(dense_weight=0.4))
    assert fused == pytest.approx({1: 0.4, 2: 0.4 * 0.5 + 0.6, 3: 0.0, 4: 0.0})


def test_reciprocal_ranks_of_the_first_on_both_sides_are_1():
    fused = fuse([(1, 0.9), (2, 0.5)], [(1, 9.0), (3, 1.0)], Fusion(method="rrf"))
    assert fused[1] == pytest.approx(1.0)
    assert fused[2] == fused[3] < 0.5


@pytest.mark.parametrize(("method", "first"), [("dense", 1), ("lexical", 2)])
def test_one_side_alone_for_comparison(method, first):
    fused = fuse([(1, 0.9), (2, 0.5)], [(2, 9.0), (1, 1.0)], Fusion(method=method))
    assert max(fused, key=fused.__getitem__) == first


def test_where_one_side_is_empty_the_other_decides():
    assert fuse([(1, 0.9), (2, 0.1)], [], Fusion()) == {1: 1.0, 2: 0.0}
    assert fuse([], [(1, 9.0), (2, 1.0)], Fusion()) == {1: 1.0, 2: 0.0}
    assert fuse([], [], Fusion()) == {}
