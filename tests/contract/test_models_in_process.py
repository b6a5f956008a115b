"""Transformers models in this process, small and untrained: a generator and two cross-encoders."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from accelrag.errors import GeneratorRefused, ModelError
from accelrag.generation import ContextOverflow, Message
from accelrag.generation.huggingface import HuggingFaceGenerator

pytestmark = [
    pytest.mark.slow,  # transformers takes seconds to import
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning"),
]

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "</s>",
    *["It", "is", "fast", "small", "and", "the", "memory", "of", "tiles", "pages", "cache", "."],
]


def write_tokenizer(folder: Path) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        eos_token="</s>",
    )
    fast.save_pretrained(str(folder))


@pytest.fixture(scope="module")
def generator_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from transformers import LlamaConfig, LlamaForCausalLM, set_seed

    folder = tmp_path_factory.mktemp("tiny-llama")
    set_seed(3)
    config = LlamaConfig(
        vocab_size=len(WORDS), hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2,
        max_position_embeddings=64, pad_token_id=0, eos_token_id=4, bos_token_id=2,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(str(folder))
    write_tokenizer(folder)
    return folder


def test_a_local_model_streams_words_of_its_own(generator_folder: Path) -> None:
    generator = HuggingFaceGenerator(str(generator_folder), timeout=60)
    assert generator.context_tokens() == 64
    assert generator.count_tokens("It is fast.") == 4
    text = "".join(generator.stream([Message("user", "Is it fast ?")], max_tokens=12))
    assert text.strip()
    assert generator.finish in ("length", "stop")


def test_a_prompt_that_does_not_fit_is_refused(generator_folder: Path) -> None:
    generator = HuggingFaceGenerator(str(generator_folder), timeout=60)
    with pytest.raises(ContextOverflow) as caught:
        list(generator.stream([Message("user", "It is fast. " * 40)], max_tokens=12))
    assert caught.value.limit == 64


def test_a_folder_without_a_model_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(GeneratorRefused, match="cannot be loaded") as caught:
        HuggingFaceGenerator(str(tmp_path)).context_tokens()
    with pytest.raises(GeneratorRefused, match="there is no folder"):
        HuggingFaceGenerator(str(tmp_path / "missing")).context_tokens()
    assert "\n" not in str(caught.value)


def write_cross_encoder(folder: Path, labels: list[str]) -> Path:
    from transformers import BertConfig, BertForSequenceClassification, set_seed

    set_seed(3)
    config = BertConfig(
        vocab_size=len(WORDS), hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2,
        max_position_embeddings=64, id2label=dict(enumerate(labels)), label2id={w: i for i, w in enumerate(labels)},
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        BertForSequenceClassification(config).save_pretrained(str(folder))
    write_tokenizer(folder)
    return folder


def test_a_cross_encoder_scores_each_pair(tmp_path: Path) -> None:
    from accelrag.embedding.cross_encoder import open_relevance

    score = open_relevance(str(write_cross_encoder(tmp_path, ["relevance"])))
    pairs = [("fast", "It is fast."), ("fast", "the cache of pages")]
    assert score(pairs) == pytest.approx([score([p])[0] for p in pairs], abs=1e-4)
    assert len(set(score(pairs))) == 2


def test_an_nli_model_gives_the_probability_of_entailment(tmp_path: Path) -> None:
    from accelrag.embedding.cross_encoder import open_entailment

    judge = open_entailment(str(write_cross_encoder(tmp_path, ["contradiction", "ENTAILMENT", "neutral"])))
    (probability,) = judge([("It is fast.", "It is small.")])
    assert 0 < probability < 1


def test_a_model_of_the_wrong_kind_is_refused(tmp_path: Path) -> None:
    from accelrag.embedding.cross_encoder import open_entailment, open_relevance

    folder = str(write_cross_encoder(tmp_path, ["a", "b", "c"]))
    with pytest.raises(ModelError, match="no label for entailment"):
        open_entailment(folder)
    with pytest.raises(ModelError, match="3 scores"):
        open_relevance(folder)
    with pytest.raises(ModelError, match="there is no folder"):
        open_relevance(str(tmp_path / "missing" / "model"))
