import functools
import gzip
import tracemalloc
import zlib

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelrag.errors import FetchFailed, FetchRefused
from accelrag.transport.decoding import decoder_for


def bare_deflate(data):
    made = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return made.compress(data) + made.flush()


CODINGS = {
    "": bytes, "identity": bytes, "gzip": gzip.compress, "x-gzip": gzip.compress, "deflate": zlib.compress,
    "br": brotli.compress, "gzip, br": lambda d: brotli.compress(gzip.compress(d)),
}  # fmt: skip


QUICK_BROTLI = functools.partial(brotli.compress, quality=1)
EACH = pytest.mark.parametrize(
    ("coding", "pack"), [("gzip", gzip.compress), ("br", QUICK_BROTLI), ("deflate", zlib.compress)]
)


def undo(coding, wire, step=7):
    decoder = decoder_for(coding)
    out = b"".join(piece for i in range(0, len(wire), step) for piece in decoder.feed(wire[i : i + step]))
    decoder.finish()
    return out


@given(st.binary(max_size=3000), st.sampled_from(sorted(CODINGS)), st.integers(1, 400))
def test_every_coding_is_undone_however_it_is_cut(data, coding, step):
    assert undo(coding, CODINGS[coding](data), step) == data


@given(st.binary(min_size=1, max_size=2000))
def test_bare_deflate_is_undone_too(data):
    assert undo("deflate", bare_deflate(data)) == data


def test_two_gzip_members_are_one_body():
    assert undo("gzip", gzip.compress(b"one ") + gzip.compress(b"two")) == b"one two"


@EACH
def test_a_bomb_comes_in_small_pieces(coding, pack):
    bomb = pack(b"\0" * 40_000_000)
    tracemalloc.start()
    try:
        seen = 0
        for piece in decoder_for(coding).feed(bomb):
            assert len(piece) <= 1_000_000
            seen += len(piece)
            if seen > 2_000_000:
                break
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


@EACH
def test_a_body_that_was_cut_off_is_no_body(coding, pack):
    with pytest.raises(FetchFailed) as failed:
        undo(coding, pack(b"words of the page " * 50)[:-9])
    assert failed.value.reason == "bad-encoding"


@pytest.mark.parametrize("coding", ["gzip", "br", "deflate"])
def test_a_body_that_is_not_in_its_coding_is_refused(coding):
    with pytest.raises(FetchFailed):
        undo(coding, b"\xff plain text that is in no coding at all")


@pytest.mark.parametrize("coding", ["zstd", "compress", "gzip, gzip, gzip"])
def test_a_coding_that_was_not_asked_for_is_refused(coding):
    with pytest.raises(FetchRefused):
        decoder_for(coding)
