from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelrag.errors import SettingsError
from accelrag.settings import Settings, find_home


def load(tmp_path: Path, file: str = "", flags: dict[str, object] | None = None, **environ: str) -> Settings:
    if file:
        (tmp_path / "accelrag.toml").write_text(file, encoding="utf-8")
    return Settings.load({"home": tmp_path, **(flags or {})}, environ=environ, cwd=tmp_path)


def test_a_flag_beats_the_environment_which_beats_the_file_which_beats_the_default(tmp_path):
    file = "top_k = 3\nport = 1111\nmodel = 'from-file'\n"
    settings = load(tmp_path, file, {"top_k": 5}, ACCELRAG_TOP_K="4", ACCELRAG_PORT="2222")
    assert (settings.top_k, settings.port, settings.model, settings.threads) == (5, 2222, "from-file", 0)
    assert settings.origins["top_k"] == "flag"
    assert settings.origins["port"] == "ACCELRAG_PORT"
    assert settings.origins["model"].endswith("accelrag.toml")
    assert "threads" not in settings.origins


def test_a_flag_that_was_not_given_changes_nothing(tmp_path):
    assert load(tmp_path, flags={"top_k": None}, ACCELRAG_TOP_K="4").top_k == 4


def test_an_unknown_key_names_the_nearest_and_where_it_stands(tmp_path):
    with pytest.raises(SettingsError, match=r"unknown setting 'topk'.*accelrag\.toml") as error:
        load(tmp_path, "topk = 3")
    assert "top_k" in error.value.hint


def test_an_unknown_variable_is_named_as_it_was_written(tmp_path):
    with pytest.raises(SettingsError, match="ACCELRAG_MODLE") as error:
        load(tmp_path, ACCELRAG_MODLE="x")
    assert "model" in error.value.hint


def test_a_file_that_is_no_toml_is_one_line(tmp_path):
    with pytest.raises(SettingsError, match=r"accelrag\.toml cannot be read"):
        load(tmp_path, "this is = = not toml")


def test_a_file_that_is_no_text_is_one_line(tmp_path):
    (tmp_path / "accelrag.toml").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(SettingsError, match="cannot be read"):
        load(tmp_path)


@pytest.mark.parametrize("word", ["1", "true", "YES", " on "])
def test_words_for_true(tmp_path, word):
    assert load(tmp_path, ACCELRAG_ALLOW_PRIVATE=word).allow_private is True


@pytest.mark.parametrize("word", ["0", "false", "No", "off"])
def test_words_for_false(tmp_path, word):
    assert load(tmp_path, ACCELRAG_ALLOW_PRIVATE=word).allow_private is False


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ACCELRAG_ALLOW_PRIVATE", "perhaps"),
        ("ACCELRAG_TOP_K", "many"),
        ("ACCELRAG_TOP_K", "-1"),
        ("ACCELRAG_TOP_K", "0"),
        ("ACCELRAG_TOP_K", "3.5"),
        ("ACCELRAG_FETCH_TIMEOUT", "nan"),
        ("ACCELRAG_FETCH_TIMEOUT", "inf"),
        ("ACCELRAG_FETCH_WORKERS", "0"),
        ("ACCELRAG_PORT", "70000"),
        ("ACCELRAG_PORT", "9" * 5_000),
    ],
)
def test_a_bad_value_names_the_setting(tmp_path, variable, value):
    with pytest.raises(SettingsError, match=variable.removeprefix("ACCELRAG_").lower()) as error:
        load(tmp_path, **{variable: value})
    assert error.value.hint
    assert len(str(error.value)) < 400


@pytest.mark.parametrize("line", ["top_k = true", "top_k = 3.5", "model = 3", "list = ['a']", "auth = {a = 1}"])
def test_a_value_of_another_type_in_the_file_is_refused(tmp_path, line):
    with pytest.raises(SettingsError, match="bad value"):
        load(tmp_path, line)


def test_a_whole_number_with_a_point_is_a_number(tmp_path):
    assert load(tmp_path, "top_k = 3.0").top_k == 3


@given(st.dictionaries(st.sampled_from([*Settings.keys(), "nonsense"]), st.text(max_size=30)))
def test_any_environment_gives_settings_or_a_settings_error(tmp_path_factory, environ):
    named = {f"ACCELRAG_{key.upper()}": value for key, value in environ.items() if key != "home"}
    try:
        settings = Settings.load({"home": "/nowhere"}, environ=named, cwd=Path("/"))
    except SettingsError as error:
        hint = error.hint
        assert hint
    else:
        for key in Settings.keys():  # noqa: SIM118 - a list of names, no mapping
            assert type(getattr(settings, key)) is type(getattr(Settings(), key)) or key == "home"


def test_secrets_are_never_shown(tmp_path):
    settings = load(tmp_path, OPENAI_API_KEY="sk-secret", GITHUB_TOKEN="gh-secret", ACCELRAG_AUTH="me:pass")
    shown = str(settings.explain())
    assert settings.openai_api_key == "sk-secret"
    assert not any(word in shown for word in ("sk-secret", "gh-secret", "me:pass"))
    assert "(hidden)" in shown


def test_a_bad_secret_is_not_repeated_in_the_error(tmp_path):
    with pytest.raises(SettingsError) as error:
        load(tmp_path, "openai_api_key = ['sk-secret']")
    assert "sk-secret" not in str(error.value) + error.value.hint


def test_well_known_variables_are_read_and_named_as_origin(tmp_path):
    settings = load(tmp_path, OLLAMA_HOST="http://127.0.0.1:1", ACCELRAG_OPENAI_BASE_URL="http://own")
    assert settings.ollama_host == "http://127.0.0.1:1"
    assert settings.origins["ollama_host"] == "OLLAMA_HOST"
    assert settings.openai_base_url == "http://own"


def test_every_setting_says_what_it_is():
    for key, _, origin, about in Settings().explain():
        assert about, key
        assert origin == "default"


def test_home_is_the_flag_then_the_variable_then_a_folder_with_a_corpus_then_the_users(tmp_path):
    (tmp_path / "corpus").mkdir()
    environ = {"ACCELRAG_HOME": str(tmp_path / "env")}
    assert find_home(tmp_path / "flag", environ=environ, cwd=tmp_path) == (tmp_path / "flag", "flag")
    assert find_home(None, environ=environ, cwd=tmp_path) == (tmp_path / "env", "ACCELRAG_HOME")
    assert find_home(None, environ={}, cwd=tmp_path) == (tmp_path, "current folder")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert find_home(None, environ={}, cwd=elsewhere)[1] == "user data folder"


def test_a_home_of_an_unknown_user_is_a_settings_error(tmp_path):
    with pytest.raises(SettingsError):
        find_home("~nobody-of-that-name/x", environ={}, cwd=tmp_path)
