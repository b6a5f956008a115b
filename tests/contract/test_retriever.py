from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accelrag.answer import THRESHOLD, relevance
from accelrag.errors import UsageError
from accelrag.index import Index
from accelrag.retriever import Fusion, Retriever
from accelrag.types import Filters
from small_corpus import build_small

MARKDOWN = """# Awesome Test Chips

## Quantization

- [LLM.int8()](https://arxiv.org/abs/2208.07339) — 8-bit matrix multiplication for transformers at scale.
- [FP8 Formats](https://arxiv.org/abs/2209.05433) — Number formats of eight bits for deep learning.
- [GPTQ](https://arxiv.org/abs/2210.17323) — Post-training quantization of generative transformers to 3 or 4 bits.

## Inference

### Speculation

- [Speculative Decoding](https://arxiv.org/abs/2211.17192) — A draft model proposes, the large one accepts.
- [PagedAttention / vLLM](https://arxiv.org/abs/2309.06180) — Keeps the key-value cache in pages.
- [FlashAttention](https://arxiv.org/abs/2205.14135) — Exact attention that knows the memory hierarchy.
- [FlashAttention-3](https://arxiv.org/abs/2407.08608) — Attention for Hopper with asynchrony.

## Courses

- [MIT 6.5940 TinyML](https://hanlab.mit.edu/courses/2023-fall-65940) — Efficient deep learning computing.
- [CS149](https://gfxcourses.stanford.edu/cs149) — Parallel computing, lectures and assignments.

## Code

- [CUTLASS](https://github.com/NVIDIA/cutlass) — Templates for matrix multiply on tensor cores.
- [ramulator2](https://github.com/CMU-SAFARI/ramulator2) — A DRAM simulator.
- [DRAMsim3](https://github.com/umd-memsys/DRAMsim3) — Another DRAM simulator, cycle by cycle.

## 中文资源

- [深度学习编译器](https://example.cn/compiler) — 介绍张量编译器的原理和优化方法。
- [大模型量化综述](https://example.cn/quant) — 总结大语言模型的量化技术。
"""
TEXTS = {
    "https://github.com/NVIDIA/cutlass": (
        "readme",
        "# CUTLASS\n\nCUTLASS is a collection of templates. The systolic gizmo zebrafish is explained in its docs. "
        "It reaches 98% of the peak.\n\n## Layouts\n\nLayouts are described by CuTe.\n",
    )
}
ENGLISH = MARKDOWN.split("## 中文资源")[0]


@pytest.fixture(scope="module")
def index(tmp_path_factory, tiny_encoder) -> Index:
    folder: Path = tmp_path_factory.mktemp("retriever")
    build_small(folder, tiny_encoder, MARKDOWN, TEXTS)
    return Index.open(folder, model=str(tiny_encoder))


@pytest.fixture(scope="module")
def retriever(index) -> Retriever:
    return Retriever(index)


def titles(retriever: Retriever, query: str, limit: int = 5, **filters: tuple[str, ...]) -> list[str]:
    return [r.entry.title for r in retriever.search(query, limit, Filters(**filters)).results]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("LLM.int8()", "LLM.int8()"),
        ("what is llm.int8() ?", "LLM.int8()"),
        ("6.5940", "MIT 6.5940 TinyML"),
        ("arXiv 2309.06180", "PagedAttention / vLLM"),
        ("arxiv.org/abs/2210.17323", "GPTQ"),
        ("https://arxiv.org/abs/2210.17323v2", "GPTQ"),
        ("https://www.arxiv.org/pdf/2210.17323", "GPTQ"),
        ("NVIDIA/cutlass", "CUTLASS"),
        ("https://github.com/CMU-SAFARI/ramulator2", "ramulator2"),
        ("http://github.com/cmu-safari/Ramulator2/", "ramulator2"),
        ("cs149", "CS149"),
        ("vLLM", "PagedAttention / vLLM"),
        ("paged attention", "PagedAttention / vLLM"),
        ("FlashAttention", "FlashAttention"),
        ("flash attention 3", "FlashAttention-3"),
        ("FlashAttention-3", "FlashAttention-3"),
        ("flashattention v3", "FlashAttention-3"),
        ("dram sim 3", "DRAMsim3"),
        ("speculative decoding", "Speculative Decoding"),
        ("fp8", "FP8 Formats"),
        ("zebrafish gizmo", "CUTLASS"),
    ],
)
def test_names_identifiers_and_addresses_find_their_entry_first(retriever, query, first):
    assert titles(retriever, query)[0] == first


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("specualtive decodng", "Speculative Decoding"),
        ("speculatve decoding", "Speculative Decoding"),
        ("flashatention", "FlashAttention"),
        ("quantizaton of generatve transformers", "GPTQ"),
        ("asynchrny on Hoper", "FlashAttention-3"),
    ],
)
def test_typing_mistakes_are_mended_by_the_words_of_the_index(retriever, query, first):
    found = retriever.search(query)
    assert found.results[0].entry.title == first
    assert found.reading.corrections
    for wrong, right in found.reading.corrections.items():
        assert wrong in query.lower()
        assert right in found.reading.corrected
        assert wrong not in found.reading.corrected


def test_short_words_and_numbers_are_never_corrected(retriever):
    assert retriever.search("FP9 gpus h101 abcd").reading.corrections == {}


def test_a_word_that_the_index_does_not_have_is_said_to_be_unknown(retriever):
    assert retriever.search("quantization of bananas").reading.unknown == ("bananas",)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("量化", "大模型量化综述"),
        ("大语言模型的量化技术有哪些？", "大模型量化综述"),
        ("张量编译器", "深度学习编译器"),
        ("编译器 优化", "深度学习编译器"),
        ("深度学习编译器", "深度学习编译器"),
    ],
)
def test_a_chinese_question_finds_chinese_notes(retriever, query, first):
    assert titles(retriever, query)[0] == first


def test_a_chinese_or_japanese_question_to_an_english_list_does_not_come_back_empty(tmp_path, tiny_encoder):
    build_small(tmp_path, tiny_encoder, ENGLISH)
    retriever = Retriever(Index.open(tmp_path, model=str(tiny_encoder)))
    for query in ("量化综述", "量子化とは何ですか", "어텐션"):
        assert titles(retriever, query)


def test_a_chinese_question_inside_a_section_without_chinese_does_not_come_back_empty(retriever):
    assert titles(retriever, "量化", sections=("Code",))


def test_a_question_in_two_scripts_is_read_in_both(retriever):
    assert titles(retriever, "FlashAttention 是什么")[0] == "FlashAttention"


# Filters


def test_a_section_at_any_depth_and_in_any_case_restricts_the_search(retriever):
    inside = titles(retriever, "attention quantization dram", 20, sections=("inference",))
    assert set(inside) == {"Speculative Decoding", "PagedAttention / vLLM", "FlashAttention", "FlashAttention-3"}
    assert set(titles(retriever, "dram", 20, sections=("SPECULATION",))) == set(inside)


def test_a_kind_restricts_the_search(retriever):
    assert set(titles(retriever, "attention", 20, kinds=("repository",))) == {"CUTLASS", "ramulator2", "DRAMsim3"}


def test_several_values_of_a_filter_are_joined_and_two_filters_must_both_hold(retriever):
    assert len(titles(retriever, "x", 20, sections=("Code", "Courses"))) == 5
    assert set(titles(retriever, "x", 20, sections=("Code", "Courses"), kinds=("course",))) <= {
        "MIT 6.5940 TinyML",
        "CS149",
    }


def test_a_filter_on_entries_holds_for_exact_names_too(retriever):
    cutlass = retriever.search("CUTLASS").results[0].entry
    assert titles(retriever, "LLM.int8() 量化", 20, entries=(cutlass.id,)) == ["CUTLASS"]


def test_filters_that_no_entry_passes_find_nothing(retriever):
    assert titles(retriever, "LLM.int8() 量化 attention", entries=("no-such-id",)) == []
    assert titles(retriever, "LLM.int8() 量化 attention", lists=("no-such-list",)) == []
    assert titles(retriever, "LLM.int8()", sections=("Code",), kinds=("book",)) == []


@pytest.mark.parametrize(("name", "near"), [("Quantisation", "Quantization"), ("inferense", "Inference")])
def test_an_unknown_section_names_the_near_ones(retriever, name, near):
    with pytest.raises(UsageError, match=name) as error:
        titles(retriever, "x", sections=(name,))
    assert near in error.value.hint


def test_a_section_like_none_points_at_the_list(retriever):
    with pytest.raises(UsageError) as error:
        titles(retriever, "x", sections=("zzzzzzz",))
    assert "accelrag list" in error.value.hint


def test_an_unknown_kind_names_them_all(retriever):
    with pytest.raises(UsageError, match="'papers'") as error:
        titles(retriever, "x", kinds=("papers",))
    assert "paper, repository" in error.value.hint


# Ranking


def test_an_entry_is_found_by_a_passage_of_its_text_and_shows_it_first(retriever):
    found = retriever.search("layouts described by CuTe").results[0]
    assert found.entry.title == "CUTLASS"
    assert found.coverage == "readme"
    assert "CuTe" in " ".join(hit.passage.text for hit in found.hits)
    assert [h.score for h in found.hits] == sorted((h.score for h in found.hits), reverse=True)


def test_each_passage_found_is_a_slice_of_its_document(retriever):
    for query in ("templates", "attention", "量化", "peak of the gizmo"):
        for result in retriever.search(query, 20).results:
            for hit in result.hits:
                document = retriever.index.store.document(hit.passage.document_id)
                assert document
                assert document.text[hit.passage.start : hit.passage.end] == hit.passage.text
                assert hit.passage.entry_id == result.entry.id


def test_ranks_run_from_one_scores_fall_and_entries_are_distinct(retriever):
    results = retriever.search("attention for transformers", 20).results
    assert [r.rank for r in results] == list(range(1, len(results) + 1))
    assert [r.score for r in results] == sorted((r.score for r in results), reverse=True)
    assert len({r.entry.id for r in results}) == len(results)


def test_the_limit_is_kept_and_is_a_prefix(retriever):
    many = titles(retriever, "attention", 20)
    assert titles(retriever, "attention", 3) == many[:3]


@pytest.mark.parametrize("method", ["sum", "rrf", "dense", "lexical"])
def test_each_way_of_fusing_ranks(index, method):
    fused = Retriever(index, fusion=Fusion(method=method, title_boost=0, identifier_boost=0))
    assert titles(fused, "8-bit matrix multiplication for transformers at scale")[0] == "LLM.int8()"


def test_a_boost_says_why(retriever):
    named = retriever.search("FlashAttention").results[0]
    assert named.boost > 0
    assert "flashattention" in named.why[0]
    number = retriever.search("2208.07339").results[0]
    assert any("2208.07339" in why for why in number.why)
    assert retriever.search("pages of cache").results[0].why == ()


def test_a_reranker_reorders_and_says_from_where(index):
    def backwards(query: str, texts: list[str]) -> list[float]:
        return [float(i) for i in range(len(texts))]

    plain = titles(Retriever(index), "attention", 4)
    reranked = Retriever(index, rerank=backwards).search("attention", 4).results  # type: ignore[arg-type]
    assert [r.entry.title for r in reranked] == plain[::-1]
    assert [r.rank for r in reranked] == [1, 2, 3, 4]
    assert any("reranked from 4" in why for why in reranked[0].why)


def test_signals_tell_a_question_of_the_list_from_a_strange_one(retriever):
    own = retriever.search("exact attention that knows the memory hierarchy").signals
    strange = retriever.search("price of fish in Lisbon harbour").signals
    assert own.known == own.noted == 1.0
    assert strange.known < 0.2
    assert own.cosine > strange.cosine
    assert 0 <= strange.noted <= strange.found <= 1


@given(st.one_of(st.text(max_size=80), st.text(alphabet="量化 a1.()/:-\"'*+~^\\[]{}", max_size=60)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
def test_nothing_that_a_person_types_is_an_operator(retriever, query):
    search = retriever.search(query.encode("utf-8", "replace").decode("utf-8"), 3)
    assert len(search.results) <= 3


@pytest.mark.parametrize(
    "query", ["title:x AND (", "* OR *", '"unbalanced', "a" * 20_000, "word " * 5_000, "((((", "NEAR/3", "v", "v2 v3"]
)
def test_query_languages_and_very_long_queries_are_plain_words(retriever, query):
    assert len(retriever.search(query, 3).results) == 3


@pytest.mark.parametrize(
    ("question", "answered"),
    [
        ("大语言模型的量化技术有哪些？", True),
        ("如何优化张量编译器", True),
        ("今天北京的天气怎么样", False),
        ("如何做红烧肉", False),
        ("what is it about?", False),
        ("the", False),
    ],
)
def test_a_chinese_question_is_answered_or_refused_by_what_the_list_says(retriever, question, answered):
    assert (relevance(retriever.search(question).signals) >= THRESHOLD) is answered
