from __future__ import annotations

import pytest

from accelrag.citations.comparing import contradiction, other_side
from accelrag.citations.names import exchanged, names
from accelrag.citations.polarity import not_denied
from accelrag.citations.quantities import matches, quantities
from accelrag.citations.words import stem, word_set


def states(text: str) -> list[tuple[float, str]]:
    return [(q.value, q.unit) for q in quantities(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("4x", [(4, "x")]),
        ("4 times", [(4, "x")]),
        ("4×", [(4, "x")]),
        ("four-fold", [(4, "x")]),
        ("twice as fast", [(2, "x")]),
        ("2-4x faster", [(2, "x"), (4, "x")]),
        ("from 2 to 4 GB/s", [(2e9, "byte/s"), (4e9, "byte/s")]),
        ("10,000", [(10_000, "")]),
        ("10k", [(10_000, "")]),
        ("175B parameters", [(175e9, "parameter")]),
        ("175 billion parameters", [(175e9, "parameter")]),
        ("7, 13, and 70 billion", [(7e9, ""), (13e9, ""), (70e9, "")]),
        ("99.5 percent", [(99.5, "%")]),
        ("24 hours", [(86_400, "s")]),
        ("one day", [(86_400, "s")]),
        ("1.2 PFLOPs/s", [(1.2e15, "op/s")]),
        ("92 TeraOps/second", [(92e12, "op/s")]),
        ("64 GB", [(64e9, "byte")]),
        ("8-bit", [(8, "bit")]),
        ("an order of magnitude", [(1, "order")]),
        ("H100 and GPT-3", []),
        ("in 2017 and 3 GPUs", [(2017, ""), (3, "gpu")]),
        ("2.7x-3.5x", [(2.7, "x"), (3.5, "x")]),
    ],
)
def test_numbers_are_read_with_their_units(text: str, found: list[tuple[float, str]]) -> None:
    assert states(text) == found


@pytest.mark.parametrize(
    ("claimed", "given", "same"),
    [
        ("4x", "four times", True),
        ("4x", "4 GB", False),
        ("4 GB", "4 TB", False),
        ("1000 MB", "1 GB", True),
        ("50%", "half", True),
        ("about 60%", "60.3%", True),
        ("60%", "60.3%", False),
        ("more than 90%", "92%", True),
        ("more than 90%", "89%", False),
        ("16", "16 GPUs", True),
    ],
)
def test_numbers_match_by_value_and_unit(claimed: str, given: str, same: bool) -> None:
    assert matches(quantities(claimed)[0], quantities(given)[0]) is same


def test_names_are_told_from_words() -> None:
    found = [n.text for n in names("Moreover, the vLLM team ran FlashAttention-2 in FP8 on H100 cards at Stanford.")]
    assert found == ["vLLM", "FlashAttention-2", "FP8", "H100", "Stanford"]


def test_a_name_is_found_however_it_is_written() -> None:
    words = word_set("Flash Attention 2 serves large language models on H100s by key-value caches.")
    assert {"flashattention2", "llm", "h100", "kv", "keyvalue"} <= words


@pytest.mark.parametrize("words", ["quantize quantized quantization", "compute computed computing", "memory memories", "reduce reduces reduced"])  # fmt: skip  # noqa: E501
def test_forms_of_a_word_have_one_stem(words: str) -> None:
    assert len({stem(w) for w in words.split()}) == 1


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("It requires retraining.", "It does not require retraining."),
        ("It is faster.", "It is slower."),
        ("A100 is faster than H100.", "H100 is faster than A100."),
        ("YOLO makes fewer localization errors.", "YOLO makes more localization errors but fewer false positives."),
        ("The prefill does not eliminate interference.", "This eliminates interference."),
    ],
)
def test_the_opposite_is_a_contradiction(claim: str, evidence: str) -> None:
    assert contradiction(claim, evidence)


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("It needs no retraining.", "It works without retraining."),
        ("It keeps its accuracy.", "It is 3x faster without any loss of accuracy."),
        ("H100 is slower than B200.", "B200 is faster than H100."),
        ("Not only is it fast.", "It is fast."),
        ("ZeRO saves memory.", "ZeRO saves memory."),
    ],
)
def test_the_same_in_other_words_is_none(claim: str, evidence: str) -> None:
    assert not contradiction(claim, evidence)
    assert not not_denied(claim, evidence)


def test_another_side_of_a_comparison_is_noticed() -> None:
    evidence = "LLaMA-13B outperforms GPT-3 on most benchmarks, and LLaMA-65B is competitive with PaLM-540B."
    assert other_side("LLaMA-13B outperforms PaLM-540B on most benchmarks.", evidence, frozenset())
    assert not other_side("LLaMA-13B outperforms GPT-3 on most benchmarks.", evidence, frozenset())
    beside = "These yield a 2x speedup compared to FlashAttention, reaching 73% of the maximum."
    assert other_side(
        "FlashAttention reaches 73% of the maximum.", beside, frozenset({"flashattention", "flashattention2"})
    )
    assert not other_side("It reaches 73% of the maximum.", beside, frozenset())


def test_names_that_changed_places_are_noticed() -> None:
    evidence = "Guanaco outperforms others on the Vicuna benchmark, reaching 99.3% of ChatGPT."
    assert exchanged("Vicuna reaches 99.3% on the Guanaco benchmark.", evidence)
    assert not exchanged("Guanaco reaches 99.3% on the Vicuna benchmark.", evidence)
