"""Entries -> Documents and Failures in the corpus. The one place at which a source's exception becomes a value."""

from accelrag.ingest.imports import import_jsonl
from accelrag.ingest.lists import fetch_list
from accelrag.ingest.loop import fetch
from accelrag.ingest.probes import probe
from accelrag.ingest.report import Summary

__all__ = ["Summary", "fetch", "fetch_list", "import_jsonl", "probe"]
