import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelrag.sources.markup import readable
from accelrag.sources.markup.detect import markup_of
from accelrag.sources.markup.markdown import clean_markdown

BASE = "https://github.com/owner/tool/blob/HEAD/"
README = """\
<!-- a comment
over lines -->
[![Build](https://ci.example/badge.svg)](https://ci.example) ![logo](logo.png)

# Tool <img src="x.png">

<p align="center"><b>Fast</b> kernels &amp; more for <a href="docs/gpu.md">GPUs</a>.</p>

## Table of contents

- [Usage](#usage)
  - [Options](#options)
- [License](#license)

## Usage

See [the guide](docs/guide.md#start "Guide"), [here](#usage) and [there](https://other.example/x).

```cpp
// <!-- not a comment --> ![not an image](x) [link](rel.md)
std::vector<int> v; # not a heading
```

| Chip | TFLOPS |
|------|--------|
| H100 | 989    |

Templates like `Tensor<float>` and vector<T> stay.

## Installation

Run this:

```bash
pip install tool
```

### From source

More noise.

## Results

It is 2.5x faster.

## License

Apache-2.0, see LICENSE.
"""


@pytest.fixture(scope="module")
def read():
    text, markdown = readable(README, name="README.md", base=BASE)
    assert markdown
    return text


@pytest.mark.parametrize(
    "gone",
    [
        "badge",
        "logo",
        "over lines",
        "Table of contents",
        "(#usage)",
        "pip install",
        "More noise",
        "Apache-2.0",
        "<p",
        "<b>",
    ],
)
def test_what_does_not_read_is_left_out(read, gone):
    assert gone not in read


@pytest.mark.parametrize(
    "kept",
    [
        "# Tool", "## Usage", "## Results", "It is 2.5x faster.", "Fast kernels & more for", "| H100 | 989    |",
        "// <!-- not a comment --> ![not an image](x) [link](rel.md)", "std::vector<int> v; # not a heading",
        "`Tensor<float>`", "vector<T>", "| Chip | TFLOPS |\n|------|--------|\n| H100",
    ],
)  # fmt: skip
def test_what_carries_meaning_stays(read, kept):
    assert kept in read


def test_relative_links_are_joined_and_others_are_not(read):
    assert f'[the guide]({BASE}docs/guide.md#start "Guide"), here and [there](https://other.example/x)' in read
    assert f"[GPUs]({BASE}docs/gpu.md)" in read


def test_a_readme_that_is_nothing_but_installation_is_kept():
    text = "# Installation\n\n" + "Put the board into the slot and wait for the light to turn green. " * 3
    assert "green" in clean_markdown(text)


def test_a_heading_that_says_more_than_installation_is_kept():
    assert "Hopper" in clean_markdown(
        "# A\n\n## Installation and features\n\nNeeds Hopper.\n\n" + "Other text. " * 20
    )


def test_contents_end_at_the_next_heading_whatever_its_level():
    text = "# Contents\n\n- [A](#a)\n\n## A\n\n" + "The text of A stands here and is long enough to be kept. " * 3
    assert "The text of A" in clean_markdown(text)


def test_an_open_fence_is_closed():
    assert clean_markdown("# A\n\ntext\n\n```py\ncode").endswith("code\n```")


def test_an_html_table_becomes_rows():
    text = clean_markdown("<table><tr><th>Chip</th><th>GB/s</th></tr><tr><td>A100</td><td>2039</td></tr></table>")
    assert "| Chip | GB/s |\n| --- | --- |\n| A100 | 2039 |" in text


def test_an_unclosed_comment_or_script_hides_only_itself_from_code():
    text = "# A\n\n" + "Visible words here. " * 10 + "\n\n```\ncode stays\n```\n\n<!-- never closed\nhidden"
    clean = clean_markdown(text)
    assert "code stays" in clean
    assert "hidden" not in clean


@given(st.text(alphabet="#`~<>![]()-|*_=\n \tab\\\x00&;/\"'", max_size=300))
def test_no_markdown_makes_it_raise(text):
    for name in ("a.md", "a.rst", "a.adoc", ""):
        readable(text, name=name, base=BASE)


@given(
    st.lists(
        st.sampled_from(["int x = 1;", "<!-- c -->", "[a](b)", "![i](j)", "# h", "", "<b>"]), min_size=1, max_size=8
    )
)
def test_code_blocks_come_through_unchanged(lines):
    code = "```c\n" + "\n".join(lines) + "\n```"
    squeezed = code if "\n\n\n" not in code else None
    text = clean_markdown("# Title\n\n" + "Some words before the code. " * 5 + f"\n\n{code}\n\nAfter.")
    if squeezed:
        assert squeezed in text


RST = """\
=====
 Tool
=====

.. image:: https://img.shields.io/x.svg
   :target: https://x

.. contents:: Table of Contents

Usage
-----

Call ``run()`` as in `the docs <https://docs.example>`_. Like this::

    tool --fast

.. code-block:: python

   import tool

.. note:: It needs 16 GB.

.. a comment

Speed
-----

It is :math:`2` times as fast.
"""


def test_restructuredtext_is_read_as_markdown():
    text, markdown = readable(RST, name="README.rst")
    assert markdown
    for kept in ("# Tool", "## Usage", "`run()`", "[the docs](https://docs.example)", "```\ntool --fast\n```",
                 "```python\nimport tool\n```", "It needs 16 GB.", "## Speed"):  # fmt: skip
        assert kept in text
    for gone in ("shields", "Table of Contents", "a comment", ".. "):
        assert gone not in text


ADOC = """\
= Tool
:toc:
// hidden

== Usage

See link:docs/a.adoc[the guide] and https://x.example[X].

[source,rust]
----
fn main() {}
----

* one
** two
"""


def test_asciidoc_is_read_as_markdown():
    text, _ = readable(ADOC, name="README.adoc", base=BASE)
    for kept in ("# Tool", "## Usage", f"[the guide]({BASE}docs/a.adoc)", "[X](https://x.example)",
                 "```rust\nfn main() {}\n```", "- one\n  - two"):  # fmt: skip
        assert kept in text
    assert "hidden" not in text
    assert ":toc:" not in text


@pytest.mark.parametrize(
    ("text", "name", "markup"),
    [
        (RST, "", "rst"),
        (ADOC, "", "asciidoc"),
        (README, "", "markdown"),
        ("Plain words.\nNothing else.", "README", "text"),
        ("# Title", "README.txt", "text"),
        ("Title\n=====\n\nwords", "", "markdown"),
    ],
)
def test_a_format_is_told_by_name_or_looks(text, name, markup):
    assert markup_of(text, name) == markup
