"""Encoders: text to unit vectors, and the cache that keeps a text from being encoded twice.

``encoder`` runs an exported model, ``models`` finds weights and trusts them, ``export`` turns a sentence-transformers
model into one, ``cache`` keeps vectors. Only ``export`` touches torch, and only when a model is seen first.
"""

from accelrag.embedding.cache import VectorCache
from accelrag.embedding.encoder import OnnxEncoder
from accelrag.embedding.models import DEFAULT_MODEL, ModelSource, find_model
from accelrag.embedding.opening import open_encoder
from accelrag.embedding.protocol import Encoder, Vectors

__all__ = [
    "DEFAULT_MODEL",
    "Encoder",
    "ModelSource",
    "OnnxEncoder",
    "VectorCache",
    "Vectors",
    "find_model",
    "open_encoder",
]
