from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelrag.text.words import STOPWORDS, cjk_grams, fold, identifiers, parts, words


@given(st.text())
def test_any_text_is_folded_once_for_all(text):
    assert fold(fold(text)) == fold(text)


@given(st.text())
def test_words_are_folded_letters_and_digits_without_cjk(text):
    for word in words(text):
        assert word
        assert word == fold(word)
        assert not cjk_grams(word)
        assert all(c.isalnum() for c in word)


@given(st.text())
def test_each_word_is_one_word_again(text):
    for word in words(text):
        assert words(word) == [word]


@given(st.text())
def test_identifiers_hold_no_space_and_at_least_a_letter_or_digit(text):
    for name in identifiers(text):
        assert not any(c.isspace() for c in name)
        assert any(c.isalnum() for c in name)


@given(st.text())
def test_parts_and_grams_are_never_empty_strings(text):
    assert all(parts(text))
    assert all(1 <= len(gram) <= 2 for gram in cjk_grams(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Kung's systolic arrays", ["kung", "systolic", "arrays"]),
        ("snake_case", ["snake", "case"]),
        ("Ａ１ full width", ["a1", "full", "width"]),
        ("Müller café", ["muller", "cafe"]),
        ("KV-Cache/量化 int8", ["kv", "cache", "int8"]),
        ("", []),
    ],
)
def test_words(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("LLM.int8() is old", ["llm.int8()"]),
        ("MIT 6.5940?", ["6.5940"]),
        ("(see arXiv 2208.07339).", ["2208.07339"]),
        ("arXiv:2208.07339v2", ["arxiv:2208.07339v2"]),
        ("NVIDIA/cutlass, please", ["nvidia/cutlass"]),
        ("https://github.com/Org/Repo.", ["https://github.com/org/repo"]),
        ("“FP8” and `w4a16`", ["fp8", "w4a16"]),
        ("doi 10.1145/1571941.1572114", ["10.1145/1571941.1572114"]),
        ("plain words only", []),
        ("...!!!", []),
        ("H100", ["h100"]),
    ],
)
def test_identifiers(text, expected):
    assert identifiers(text) == expected


def test_an_endless_token_is_no_identifier():
    assert identifiers("a1" * 200) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PagedAttention", ["paged", "attention"]),
        ("TileFlow3", ["tile", "flow", "3"]),
        ("attention", []),
        ("FlashAttention-2", ["flash", "attention"]),
        ("vLLM", ["llm"]),
    ],
)
def test_compounds_are_taken_apart(text, expected):
    assert parts(text) == expected


def test_runs_of_cjk_give_bigrams_and_a_lone_character_itself():
    assert cjk_grams("量化很快 and 好") == ["量化", "化很", "很快", "好"]


def test_no_stopword_is_a_name_of_the_field():
    assert not STOPWORDS & {"attention", "cache", "gpu", "kernel", "memory", "compiler", "systolic", "int8"}
