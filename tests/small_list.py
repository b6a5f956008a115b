"""The small list that most tests use."""

from __future__ import annotations

__all__ = ["LIST"]

LIST = """# Awesome Test Chips

> A list written for tests.

## Contents

- [Kernels](#kernels)
- [Simulators](#simulators)

## Kernels

### Attention

- [TileFlow Attention](https://arxiv.org/abs/2401.00001) — Tiles the score matrix so that it never leaves the cache.
- [PageTable Attention](https://arxiv.org/abs/2401.00002) — Keeps the KV cache in pages, like virtual memory.

### Matrix multiply

- [FastGEMM](https://github.com/example/fastgemm) — Hand-tuned matrix multiply for tensor cores.
- **Textbook** — [Blocking for Caches](https://books.example.org/blocking), A. Author. How tiles meet the memory.

## Simulators

- [DRAMpipe](https://github.com/example/drampipe) — A cycle-accurate DRAM simulator.
- [NoCturne](https://github.com/example/nocturne) — A simulator of networks on chip.
- [FastGEMM](https://github.com/example/fastgemm) — Also models its own cycles.
"""
