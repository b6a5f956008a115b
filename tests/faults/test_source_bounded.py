"""A hostile body is read in another process, which may end badly without harm."""

import subprocess
import sys
import zlib

import pymupdf
import pytest

from accelrag.errors import FetchFailed
from accelrag.sources.bounded import run_bounded
from accelrag.sources.pdf import read_pdf


def pdf(pages=1):
    file = pymupdf.open()
    for _ in range(pages):
        file.new_page().insert_textbox((50, 50, 550, 800), "The board keeps its weights near the multipliers. " * 40)
    return file.tobytes()


def unreadable(**limits):
    with pytest.raises(FetchFailed) as failed:
        run_bounded("pdf", pdf(), {"pages": 1}, **limits)
    assert failed.value.reason == "unreadable"


def test_a_reader_that_takes_too_long_is_ended():
    unreadable(seconds=0.01)


_READ_AND_MEASURE = """
import resource, sys
from accelrag.errors import FetchFailed
from accelrag.sources.pdf import read_pdf
try:
    read_pdf(sys.stdin.buffer.read(), pages=1)
except FetchFailed as failed:
    print(failed.reason, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def test_a_page_that_unpacks_to_a_flood_fills_no_memory():
    file = pymupdf.open()
    page = file.new_page()
    page.insert_text((50, 50), "The board keeps its weights near the multipliers.")
    pack = zlib.compressobj(1)
    flood = b"".join(pack.compress(b" " * 1_000_000) for _ in range(60)) + pack.flush()
    (content,) = page.get_contents()
    file.update_stream(content, flood, compress=False)
    file.xref_set_key(content, "Filter", "/FlateDecode")
    # The most that any child ever took: so a process of its own has the reader as its only child.
    alone = subprocess.run(
        [sys.executable, "-c", _READ_AND_MEASURE], input=file.tobytes(), capture_output=True, check=True
    )
    reason, kilobytes = alone.stdout.decode().split()
    assert reason in {"broken-pdf", "unreadable", "empty"}
    assert int(kilobytes) < 1_000_000


def test_a_reader_that_crashes_is_a_failure_of_its_body():
    with pytest.raises(FetchFailed) as failed:
        run_bounded("no such reader", b"", {}, seconds=60)
    assert failed.value.reason == "unreadable"


def test_nothing_but_the_first_pages_is_read():
    read = read_pdf(pdf(5), pages=2)
    assert len(read.pages) == 2
    assert read.count == 5
