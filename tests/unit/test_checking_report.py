"""``check_list`` names what a curator can mend, with line numbers, and an exit code for CI."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from accelrag.checking import LinkHealth, check_list, fixed_list, judge
from accelrag.listing import parse
from accelrag.types import Document, Observation

NOW = datetime(2026, 3, 1, tzinfo=UTC)
LIST = """# A List

## Papers

- [BERT](https://arxiv.org/abs/1810.04805) - Bidirectional pretraining.
- [Wrong Paper About Bananas](https://arxiv.org/abs/1706.03762) - Its address is another paper's.

## Tools

- [Tool](https://tool.example/) - Of use.
- [Tool](https://fork.example/tool) - A fork of it.
- [BERT (again)](http://www.arxiv.org/pdf/1810.04805v2) - The second place.
- [No note](https://bare.example/)
- [Typo](hhttps://typo.example/) - Cannot be opened.
- [In page](#papers)
- [With code](https://with.example/) - Has [more](https://code.example/x).
"""


def documents(listing):
    titles = {
        "https://arxiv.org/abs/1810.04805": "BERT: Pre-training of Deep Bidirectional Transformers",
        "https://arxiv.org/abs/1706.03762": "Attention is All you Need",
        "https://tool.example": "Something Else Entirely",
    }
    return {e.id: Document("d", e.id, "text", "abstract", titles[e.key]) for e in listing.entries if e.key in titles}


def probed(**states):
    return {f"https://{host}.example/": health for host, health in states.items()}


def report(health=None):
    listing = parse(LIST)
    return check_list(listing, documents(listing), health or {}, NOW)


def found(result, kind):
    return [f for f in result.findings if f.kind == kind]


def test_a_paper_under_another_title_is_an_error_with_both_titles_and_its_line():
    (finding,) = found(report(), "other-title")
    assert finding.lines == (6,)
    assert finding.severity == "error"
    assert "Wrong Paper About Bananas" in finding.message
    assert "Attention is All you Need" in finding.message


def test_titles_of_sites_and_repositories_are_not_compared():
    assert not [f for f in report().findings if f.kind == "other-title" and "tool" in f.url]


def test_repeated_addresses_titles_and_missing_notes_are_named_with_lines():
    result = report()
    (repeated,) = found(result, "repeated")
    assert (repeated.lines, repeated.severity) == ((5, 12), "info")
    assert "under 2 titles: BERT / BERT (again)" in repeated.message
    (same,) = found(result, "same-title")
    assert (same.lines, same.title) == ((10, 11), "Tool")
    assert "https://fork.example/tool" in same.message
    (bare,) = found(result, "no-note")
    assert bare.lines == (13,)
    (broken,) = found(result, "broken-address")
    assert broken.lines == (14,)


def test_links_are_told_by_class():
    gone = judge(None, Observation("https://bare.example/", "gone", 404), NOW - timedelta(days=2))
    health = {
        "https://tool.example/": LinkHealth("https://tool.example/", "moved", "https://new.example/", 200),
        "https://fork.example/tool": LinkHealth("https://fork.example/tool", "blocked", status=403),
        "https://bare.example/": judge(gone, Observation("https://bare.example/", "gone", 404), NOW),
        "https://with.example/": judge(None, Observation("https://with.example/", "dns"), NOW),
        "https://code.example/x": judge(None, Observation("https://code.example/x", "timeout"), NOW),
        "https://arxiv.org/abs/1810.04805": LinkHealth("https://arxiv.org/abs/1810.04805", "ok"),
        "https://unrelated.example": LinkHealth("https://unrelated.example", "gone"),
    }
    result = report(health)
    assert [(f.kind, f.severity, f.lines) for f in result.findings if f.kind.endswith("-link")] == [
        ("dead-link", "error", (13,)),
        ("moved-link", "warning", (10,)),
        ("suspect-link", "warning", (16,)),
        ("suspect-link", "warning", (16,)),
        ("blocked-link", "info", (11,)),
    ]
    assert result.checked_links == 6
    assert "it is gone since 2026-02-27" in found(result, "dead-link")[0].message
    assert result.moved == {"https://tool.example/": "https://new.example/"}
    assert "[Tool](https://new.example/)" in fixed_list(LIST, result.moved)


@pytest.mark.parametrize(("lines", "code"), [(slice(0, 5), 0), (slice(0, 6), 1)])
def test_the_exit_code_is_one_when_something_is_wrong(lines, code):
    listing = parse("\n".join(LIST.splitlines()[lines]))
    assert check_list(listing, documents(listing), {}, NOW).exit_code == code


def test_a_clean_list_says_so():
    result = check_list(parse("# T\n- [N](https://n.example) - Note.\n"), {}, {}, NOW)
    assert result.exit_code == 0
    assert "Nothing to mend." in result.markdown()


def test_the_two_renderings_say_the_same():
    result = report()
    told = json.loads(json.dumps(result.to_dict()))
    assert told["exit_code"] == 1
    assert told["entries"] == len(parse(LIST).entries)
    assert sum(told["counts"].values()) == len(told["findings"]) == len(result.findings)
    text = result.markdown()
    for finding in result.findings:
        where = "line" if len(finding.lines) == 1 else "lines"
        assert f"{where} {', '.join(map(str, finding.lines))}: {finding.title}" in text


def test_titles_cannot_draw_in_the_report():
    listing = parse("- [<script>*x*</script> \\[a\\](b)](https://n.example)\n")
    text = check_list(listing, {}, {}, NOW).markdown()
    assert "<script>" not in text
    assert parse(text).entries[0].url == "https://n.example"
