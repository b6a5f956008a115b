"""The folder of an exported encoder -> the encoder: onnxruntime, or torch where the model could not be exported."""

from __future__ import annotations

import json
from pathlib import Path

from accelrag.embedding.encoder import OnnxEncoder, unreadable
from accelrag.embedding.protocol import Encoder

__all__ = ["open_encoder"]


def open_encoder(folder: Path, *, threads: int = 0) -> Encoder:
    """The encoder that an index was made with: exported, or torch where the model could not be exported.

    Raises:
        ModelError: a file is missing or cannot be read.
    """
    try:
        config = json.loads((folder / "encoder.json").read_text(encoding="utf-8"))
        runtime = config.get("runtime")
    except (OSError, ValueError, AttributeError) as error:
        raise unreadable(folder, error) from error
    if runtime == "torch":
        from accelrag.embedding.torch_encoder import TorchEncoder

        return TorchEncoder(config)
    return OnnxEncoder(folder, threads=threads)
