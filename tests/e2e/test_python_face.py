"""The public face: what a script or a notebook may count on."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import accelrag
from accelrag.cli.main import run as main_run
from accelrag.face.progress import Bars, Calls, progress_for

QUESTION = "What does PageTable Attention keep in pages?"


@pytest.fixture
def opened(home, tiny_encoder):
    with accelrag.open(home=home, model=str(tiny_encoder), progress=False) as opened:
        yield opened


def test_importing_it_loads_nothing_heavy():
    code = (
        "import sys, accelrag; heavy = {'numpy', 'faiss', 'tantivy', 'onnxruntime', 'torch', 'httpx', 'gradio', "
        "'click', 'accelrag.pipeline', 'accelrag.types'}; print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_exists_and_a_wrong_one_is_an_attribute_error():
    assert {name for name in accelrag.__all__ if getattr(accelrag, name) is None} == set()
    assert set(accelrag.__all__) <= set(dir(accelrag))
    with pytest.raises(AttributeError, match="opne"):
        accelrag.opne  # noqa: B018


def test_an_answer_prints_as_the_terminal_shows_it(opened, home, tiny_encoder, capsys):
    answer = opened.ask(QUESTION)
    assert not answer.refused
    assert main_run(["ask", QUESTION, "--home", str(home), "--model", str(tiny_encoder)]) == 0
    shown = capsys.readouterr().out
    assert " ".join(shown.split()) == " ".join(str(answer).split())


def test_an_answers_dict_is_the_json_of_the_command_line(opened, home, tiny_encoder, capsys):
    answer = opened.ask(QUESTION)
    assert main_run(["ask", QUESTION, "--json", "--home", str(home), "--model", str(tiny_encoder)]) == 0
    told = json.loads(capsys.readouterr().out)
    ours = json.loads(json.dumps(answer.to_dict()))
    assert {k: v for k, v in ours.items() if k != "timings"} == {k: v for k, v in told.items() if k != "timings"}


def test_a_notebook_sees_each_quote_and_repr_is_one_line(opened):
    answer = opened.ask(QUESTION)
    shown = answer._repr_markdown_()
    for citation in answer.citations:
        assert f"**[{citation.n}]**" in shown
        assert f"(<{citation.entry.url}>)" in shown
    assert "> " in shown
    assert len(repr(answer).splitlines()) == 1
    assert len(repr(answer)) < 200


def test_a_refusal_prints_its_reason_and_what_is_near(opened):
    answer = opened.ask("Who won the football match yesterday?")
    assert answer.refused
    assert str(answer).startswith(answer.reason)
    assert answer._repr_markdown_().startswith("*")


def test_questions_from_several_threads_get_the_answers_of_one(opened):
    alone = opened.ask(QUESTION).answer
    with ThreadPoolExecutor(4) as threads:
        assert {a.answer for a in threads.map(opened.ask, [QUESTION] * 12)} == {alone}


def test_texts_of_ones_own_are_found_at_once_and_bad_ones_are_named(opened):
    before = opened.ask("What does the Zebrafish accelerator stripe?").refused
    report = opened.add(
        [
            {"title": "Zebrafish", "text": "The Zebrafish accelerator stripes its weights over nine banks."},
            {"title": "No text at all"},
        ]
    )
    answer = opened.ask("What does the Zebrafish accelerator stripe?")
    assert before
    assert "nine banks" in answer.answer
    assert any("neither text nor abstract" in line for line in report.errors)


def test_a_list_that_is_not_there_is_said_at_once(tmp_path, home):
    with pytest.raises(accelrag.ListError, match=r"missing\.md"):
        accelrag.open(tmp_path / "missing.md", home=home)


def test_a_setting_that_does_not_exist_names_the_nearest(home):
    with pytest.raises(accelrag.SettingsError) as caught:
        accelrag.open(home=home, topk=3)
    assert "top_k" in caught.value.hint


def test_a_folder_is_a_home_and_a_file_is_a_list(home, tiny_encoder):
    with accelrag.open(home, model=str(tiny_encoder)) as by_folder:
        assert by_folder.lists == ("test-chips.md",)
        assert by_folder.settings.home == home
    with accelrag.open(home / "corpus" / "test-chips.md", home=home) as by_file:
        assert by_file.lists == ("test-chips.md",)


def test_entries_by_section_and_kind_and_an_unknown_one_is_an_error(opened):
    entries = opened.entries()
    assert [e for e in entries if e.kind == "paper"] == opened.entries(kind="paper")
    with pytest.raises(accelrag.UsageError, match="no section"):
        opened.entries(section="Nowhere at all")


def test_an_update_check_and_status_are_told_as_values(opened):
    report = opened.update(offline=True)
    assert report.to_dict()["index"]["entries"] == opened.status().to_dict()["entries"] == len(opened.entries())
    assert opened.check(offline=True)[0].report.entries == len(opened.entries())


def test_export_gives_what_an_answer_cites(opened):
    answer = opened.ask(QUESTION)
    text = opened.export("bibtex", answer=answer)
    assert text.count("@") == len({c.entry.id for c in answer.citations})
    assert len(opened.export("jsonl").splitlines()) == len(opened.entries())
    with pytest.raises(accelrag.UsageError, match="no form"):
        opened.export("pdf")  # type: ignore[arg-type]


def test_a_closed_home_opens_again_when_it_is_asked(opened):
    first = opened.ask(QUESTION).answer
    opened.close()
    assert opened.ask(QUESTION).answer == first


def test_progress_is_a_bar_a_function_or_nothing(home, tiny_encoder):
    told: list[tuple[str, int, int | None]] = []
    with accelrag.open(home=home, model=str(tiny_encoder), progress=lambda *step: told.append(step)) as opened:
        opened.index()
    assert {task for task, _, _ in told}
    assert all(done <= total for _, done, total in told if total)
    assert isinstance(progress_for(True), Bars)
    assert isinstance(progress_for(print), Calls)
    assert progress_for(False) is None


def test_a_bar_shows_the_task_and_ends(capsys):
    bar = Bars()
    bar.start("encode", 3)
    bar.advance("encode", 3)
    bar.done("encode")
    assert "encode" in capsys.readouterr().err
