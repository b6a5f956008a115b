"""A small real encoder in the exported form: mean of word vectors from a fixed random table, 32 dimensions, 40 kB.

It is written with onnx in milliseconds and runs through the same code as the default one. Texts that share words are
near each other; it knows no synonyms.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np

VOCABULARY = 4096
DIMENSION = 32


def write_tiny_encoder(folder: Path, *, seed: int = 7, max_tokens: int = 64, query_prompt: str = "") -> Path:
    """Write ``model.onnx``, ``tokenizer.json`` and ``encoder.json`` into ``folder``; the folder."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    folder.mkdir(parents=True, exist_ok=True)
    table = np.random.default_rng(seed).standard_normal((VOCABULARY, DIMENSION)).astype(np.float32)
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
            helper.make_node("ReduceMean", ["rows", "axis"], ["mean"], keepdims=0),
            helper.make_node("LpNormalization", ["mean"], ["embedding"], axis=-1, p=2),
        ],
        "tiny",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", DIMENSION])],
        [numpy_helper.from_array(table, "table"), numpy_helper.from_array(np.array([1]), "axis")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save(model, str(folder / "model.onnx"))

    # Letters are tokens, so every text has some; their order is lost, as in any bag of words.
    pieces = {"[UNK]": 0} | {f"{a}{b}": 1 + i for i, (a, b) in enumerate(_pairs())}
    tokenizer = Tokenizer(models.WordLevel(pieces, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"\s+|[\s\S]{1,2}"), "isolated")
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {
        "name": f"tiny-{seed}",
        "weights_sha256": hashlib.sha256(table.tobytes()).hexdigest(),
        "pooling": ["mean"],
        "prompts": {"query": query_prompt, "passage": ""},
        "normalised": True,
        "max_tokens": max_tokens,
        "dimension": DIMENSION,
        "inputs": ["input_ids"],
        "runtime": "onnx",
        "parity": 0.0,
    }
    identity = json.dumps(config, sort_keys=True)
    config["fingerprint"] = hashlib.sha256(identity.encode()).hexdigest()[:32]
    names = ("model.onnx", "tokenizer.json")
    config["files"] = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    (folder / "encoder.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


def _pairs() -> list[tuple[str, str]]:
    letters = "abcdefghijklmnopqrstuvwxyz0123456789 .,-()'"
    return [(a, b) for a in letters for b in ["", *letters]][: VOCABULARY - 1]
