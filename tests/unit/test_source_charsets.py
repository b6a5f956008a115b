import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelrag.sources.charsets import decode

WORDS = "Grüße aus Zürich — naïve façade, résumé, Straße"
JAPANESE = "深層学習アクセラレータの訓練と推論を高速化する。" * 5


@pytest.mark.parametrize(
    ("body", "header"),
    [
        (WORDS.encode(), "text/html; charset=utf-8"),
        (WORDS.encode(), "text/html; charset=iso-8859-1"),
        (WORDS.encode(), "text/html"),
        (b"\xef\xbb\xbf" + WORDS.encode(), "text/html; charset=latin-1"),
        (WORDS.encode("cp1252"), "text/html; charset=iso-8859-1"),
        (WORDS.encode("cp1252"), "text/html; charset=utf-8"),
        (WORDS.encode("utf-16"), "text/html"),
        (WORDS.encode("utf-16"), "text/html; charset=utf-8"),
        (WORDS.encode("utf-16-le"), "text/html"),
        (WORDS.encode("utf-16-be"), "text/html; charset=utf-16be"),
        (b'<meta charset="windows-1252">' + WORDS.encode("cp1252"), "text/html"),
        (b'<meta http-equiv="Content-Type" content="text/html; charset=cp1252">' + WORDS.encode("cp1252"), ""),
    ],
)
def test_right_text_whatever_the_page_says_of_its_charset(body, header):
    assert WORDS in decode(body, header)


@pytest.mark.parametrize("charset", ["shift_jis", "euc_jp", "iso2022_jp", "utf-16"])
def test_japanese_in_its_old_charsets(charset):
    assert decode(JAPANESE.encode(charset), f"text/html; charset={charset}") == JAPANESE


def test_gb2312_means_its_superset():
    assert decode("镕基".encode("gb18030"), "text/html; charset=gb2312") == "镕基"


@pytest.mark.parametrize("charset", ["utf-7", "zip", "base64", "rot13", "unicode_escape", "x" * 30, "undefined"])
def test_a_codec_that_is_no_charset_is_not_run(charset):
    assert decode(b"plain +ADw-script+AD4- words", f"text/html; charset={charset}") == "plain +ADw-script+AD4- words"


@given(st.binary(max_size=400), st.sampled_from(["", "text/html", "text/html; charset=utf-16", "a; charset=big5"]))
def test_no_bytes_make_it_raise(body, header):
    assert isinstance(decode(body, header), str)
