"""A curator's short title is not an error, another paper's title is."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelrag.checking import normalised_title, same_work
from accelrag.listing import canonical_url, read_list

DEFAULT = Path(__file__).parents[2] / "corpus" / "awesome-ai-accelerators.md"
ABSTRACTS = Path(os.environ.get("ACCELRAG_SHARED", "/nonexistent")) / "web" / "abstracts.jsonl"


@pytest.mark.parametrize(
    ("listed", "real", "text"),
    [
        ("BERT", "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding", ""),
        ("Deep Residual Learning (ResNet)", "Deep Residual Learning for Image Recognition", ""),
        (
            "SGLang: Efficient Execution with RadixAttention",
            "SGLang: Efficient Execution of Structured Language Model Programs",
            "",
        ),
        ("Attention Is All You Need", "Attention is All you Need", ""),
        ("GPT-3: Language Models are Few-Shot Learners", "Language Models Are Few-shot Learners", ""),
        ("YOLO", "You Only Look Once: Unified, Real-Time Object Detection", ""),
        ("ALiBi", "Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation", ""),
        ("Training Compute-Optimal LLMs (Chinchilla)", "Training Compute-optimal Large Language Models", ""),
        (
            "In-Datacenter Performance Analysis of a TPU (TPUv1)",
            "In-datacenter performance analysis of a tensor processing unit",
            "",
        ),
        ("H2O: Heavy-Hitter Oracle", r"H\(_2\)O: Heavy-hitter Oracle For Efficient Generative Inference", ""),
        ("LLM.int8()", "Llm.int8(): 8-bit Matrix Multiplication For Transformers At Scale", ""),
        ("FlashAttention-2", "Flashattention-2: Faster Attention With Better Parallelism", ""),
        ("DeepSeek-V3", "DeepSeek-V3 Technical Report", ""),
        ("Wanda", "A Simple And Effective Pruning Approach", "We introduce a method, termed Wanda, to prune."),
        ("Anything", "", ""),
        ("", "A Title", ""),
        ("深度学习", "深度学习", ""),
    ],
)
def test_short_glossed_and_abbreviated_titles_are_the_same_work(listed, real, text):
    assert same_work(listed, real, text)


@pytest.mark.parametrize(
    ("listed", "real", "text"),
    [
        ("BERT", "Deep Residual Learning for Image Recognition", ""),
        ("FlashAttention", "Flashattention-2: Faster Attention With Better Parallelism", ""),
        ("FlashAttention-2", "Flashattention: Fast And Memory-efficient Exact Attention", ""),
        ("FlashAttention-3", "Flashattention-2: Faster Attention With Better Parallelism", ""),
        ("LLaMA", "Llama 2: Open Foundation and Fine-Tuned Chat Models", ""),
        (
            "Dissecting the Ampere GPU Architecture",
            "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture",
            "",
        ),
        ("Wanda", "A Simple And Effective Pruning Approach", "Unlike the well known Wanda, we prune nothing."),
        ("BERT", "RoBERTa: A Robustly Optimized Pretraining Approach", "We present a replication study of BERT."),
        ("Deep Learning", "Learning Transferable Visual Models From Natural Language Supervision", ""),
        ("Efficient Large Language Model Inference", "Training Large Neural Networks", ""),
    ],
)
def test_another_work_or_another_version_is_noticed(listed, real, text):
    assert not same_work(listed, real, text)


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=200))
def test_any_titles_can_be_compared(listed, real, text):
    assert isinstance(same_work(listed, real, text), bool)


title = st.lists(st.text("abcdefghijklmnop", min_size=4, max_size=9), min_size=1, max_size=8).map(" ".join)


@given(title)
def test_a_title_is_its_own_in_any_case_and_punctuation(words):
    assert same_work(words, words)
    assert same_work(words.upper(), words.title() + ".")
    assert normalised_title(words.upper() + "!") == normalised_title(words)


@pytest.mark.shared
@pytest.mark.skipif(not ABSTRACTS.is_file(), reason="ACCELRAG_SHARED does not name a folder with abstracts")
def test_no_paper_of_the_default_list_alarms_and_nearly_every_swapped_one_does():
    papers = [json.loads(line) for line in ABSTRACTS.read_text(encoding="utf-8").splitlines()]
    entries = {e.key: e for e in read_list(DEFAULT).entries}
    pairs = [(entries[canonical_url(f"https://arxiv.org/abs/{p['arxiv_id']}")], p) for p in papers]
    assert len(pairs) == 54
    alarms = [(t, p["title"]) for e, p in pairs for t in e.titles if not same_work(t, p["title"], p["abstract"])]
    assert alarms == []
    swapped = [(t, p) for e, own in pairs for _, p in pairs if p is not own for t in e.titles]
    missed = [(t, p["title"]) for t, p in swapped if same_work(t, p["title"], p["abstract"])]
    assert len(missed) <= 0.001 * len(swapped), missed
