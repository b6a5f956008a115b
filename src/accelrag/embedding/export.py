"""One export of a sentence-transformers model to ONNX, checked against torch before anything uses it.

The graph holds every module of the model (transformer, pooling, normalisation, dense layers), so what runs later
needs no Python of ours. https://docs.pytorch.org/docs/stable/onnx.html and https://onnxruntime.ai/docs/performance/
model-optimizations/graph-optimizations.html describe the two steps.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from accelrag.embedding.encoder import OnnxEncoder
from accelrag.embedding.models import ModelSource, file_sha256
from accelrag.errors import ModelError
from accelrag.optional import require

__all__ = ["PARITY", "export_model"]

_UNLIMITED = 512  # tokens that are read where a model sets no limit
PARITY = 1e-4  # largest difference to torch, per component, that an export may have
_CHECK = (
    "PagedAttention",
    "What does virtual memory have to do with the cache of a language model?",
    "Systolic arrays move data in rhythm. " * 12,
    "量化 и кэш",
    "Attention kernels, tensor cores, schedulers and interconnects, written down at a length past the limit. " * 60,
)
_FIELDS = ("name", "weights_sha256", "pooling", "prompts", "normalised", "max_tokens", "dimension", "inputs")


def export_model(source: ModelSource, folder: Path, notice: Callable[[str], None] = lambda _: None) -> None:
    """Write ``model.onnx``, ``tokenizer.json`` and ``encoder.json`` into ``folder``.

    A model whose graph cannot be exported or differs from torch by more than ``PARITY`` is described in
    ``encoder.json`` to run on torch, with a notice.

    Raises:
        ModelError: the model cannot be loaded at all.
    """
    model = load_torch(source)
    folder.mkdir(parents=True, exist_ok=True)
    config = _describe(source, model)
    try:
        getattr(model.tokenizer, "backend_tokenizer", model.tokenizer).save(str(folder / "tokenizer.json"))
        _export_graph(model, config["inputs"], folder / "model.onnx")
        config["runtime"] = "onnx"
        config["parity"] = _check(model, folder, config)
    except Exception as error:  # noqa: BLE001 - exporters raise anything; the model still works on torch
        (folder / "model.onnx").unlink(missing_ok=True)
        config |= {"runtime": "torch", "location": source.location, "parity": 0.0}
        notice(f"{source.name} cannot be exported ({_first_line(error)}); it runs on torch, which is slower to start")
    _write(folder, config)


def load_torch(source: ModelSource) -> Any:
    """Load a model with sentence-transformers, on the CPU, silently.

    Raises:
        ModelError: it cannot be loaded; the hint says whether the hub would have been needed.
    """
    require("encoders", f"exporting the model {source.name}")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    if source.local:
        os.environ["HF_HUB_OFFLINE"] = "1"  # a local folder never asks the hub
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()
        transformers_logging.set_verbosity_error()
        try:
            model = SentenceTransformer(source.location, device="cpu", local_files_only=source.local)
        except Exception as error:
            hint = "check that the folder holds a sentence-transformers model"
            if not source.local:
                hint = "check the name and the connection to the hub, or give a local folder"
            raise ModelError(f"model {source.name} cannot be loaded: {_first_line(error)}", hint=hint) from error
    model.eval()
    return model


def _export_graph(model: Any, inputs: list[str], path: Path) -> None:
    import torch

    class Whole(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.model = model
            self.unit = any(type(module).__name__ == "Normalize" for module in model)

        def forward(self, *tensors: Any) -> Any:
            found = self.model(dict(zip(inputs, tensors, strict=True)))["sentence_embedding"]
            return found if self.unit else torch.nn.functional.normalize(found, p=2.0, dim=-1)

    sample = model.tokenizer(["two rows of", "different length, so padding"], padding=True, return_tensors="pt")
    raw = path.with_suffix(".raw.onnx")
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Whole(),
            tuple(sample[name] for name in inputs),
            str(raw),
            input_names=inputs,
            output_names=["embedding"],
            dynamic_axes={name: {0: "batch", 1: "tokens"} for name in inputs} | {"embedding": {0: "batch"}},
            opset_version=17,
            dynamo=False,  # the newer exporter takes 15 s for MiniLM and names two outputs alike
        )
    import onnxruntime

    onnxruntime.set_default_logger_severity(3)
    options = onnxruntime.SessionOptions()
    # EXTENDED is the highest level whose result does not depend on this processor.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(path)
    onnxruntime.InferenceSession(str(raw), options, providers=["CPUExecutionProvider"])
    raw.unlink()


def _describe(source: ModelSource, model: Any) -> dict[str, Any]:
    prompts = dict(model.prompts or {})
    default = prompts.get(model.default_prompt_name or "", "")
    pooling = [
        {k: v for k, v in m.get_config_dict().items() if isinstance(v, (str, int, bool, float))}
        for m in model
        if type(m).__name__ != "Transformer" and hasattr(m, "get_config_dict")
    ]
    names = list(getattr(model.tokenizer, "model_input_names", ["input_ids"]))  # static embeddings have a bare one
    longest = model.max_seq_length
    # renamed in sentence-transformers 5.3
    dimension = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
    return {
        "name": source.name,
        "weights_sha256": source.weights_sha256 or _state_hash(model),
        "pooling": pooling,
        "prompts": {
            "query": prompts.get("query") or default,
            "passage": prompts.get("passage") or prompts.get("document") or default,
        },
        "normalised": True,
        "max_tokens": int(longest) if longest and math.isfinite(longest) else _UNLIMITED,
        "dimension": int(dimension()),
        "inputs": [n for n in ("input_ids", "attention_mask", "token_type_ids") if n in names],
    }


def _check(model: Any, folder: Path, config: dict[str, Any]) -> float:
    _write(folder, config)
    encoder = OnnxEncoder(folder)
    worst = 0.0
    for prompt, ours in (("query", encoder.encode_queries), ("passage", encoder.encode_passages)):
        words = config["prompts"][prompt]
        theirs = model.encode(list(_CHECK), prompt=words, normalize_embeddings=True, show_progress_bar=False)
        worst = max(worst, float(np.abs(ours(_CHECK) - theirs).max()))
    if not worst <= PARITY:
        raise ModelError(f"the export differs from torch by {worst:.1e}, more than {PARITY:.0e}")
    return worst


def _write(folder: Path, config: dict[str, Any]) -> None:
    identity = json.dumps({k: config[k] for k in _FIELDS}, sort_keys=True)
    config["fingerprint"] = hashlib.sha256(identity.encode()).hexdigest()[:32]
    files = [p for p in sorted(folder.iterdir()) if p.name != "encoder.json" and not p.name.endswith(".raw.onnx")]
    config["files"] = {p.name: file_sha256(p) for p in files}
    (folder / "encoder.json").write_text(json.dumps(config, indent=1, sort_keys=True), encoding="utf-8")


def _state_hash(model: Any) -> str:
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
