from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from accelrag.errors import AccelragError, GeneratorRefused, GeneratorUnavailable, SettingsError, UsageError
from accelrag.generation import ContextOverflow, Message, Retract, discover_servers, estimate_tokens, make_generator
from accelrag.generation.http import with_scheme
from accelrag.generation.ollama import OllamaGenerator
from accelrag.generation.openai import OpenAIGenerator, base_url
from accelrag.settings import Settings
from fake_llm import FakeLLM, Reply, answer_json, chunk, error, events, say

ASK = [Message("system", "Be short."), Message("user", "Why?")]


@pytest.fixture
def fake() -> Iterator[FakeLLM]:
    with FakeLLM() as server:
        yield server


def openai(fake: FakeLLM, **options: object) -> OpenAIGenerator:
    return OpenAIGenerator("tiny", address=str(options.pop("address", fake.url)), timeout=fake.patience, **options)  # type: ignore[arg-type]


def told(generator: object, tokens: int = 64) -> str:
    """What is left of a stream after what it takes back."""
    text = ""
    for piece in generator.stream(ASK, max_tokens=tokens):  # type: ignore[attr-defined]
        text = "" if isinstance(piece, Retract) else text + piece
    return text


def test_a_streamed_answer_comes_in_pieces_and_the_request_is_plain(fake: FakeLLM) -> None:
    fake.replies = [say("It is fast [1]. It is small [2].")]
    generator = openai(fake, key="secret")
    pieces = list(generator.stream(ASK, max_tokens=64))
    assert "".join(pieces) == "It is fast [1]. It is small [2]."
    assert len(pieces) > 1
    assert generator.finish == "stop"
    assert fake.requests[0]["model"] == "tiny"
    assert fake.requests[0]["messages"][1] == {"role": "user", "content": "Why?"}
    assert fake.headers[0]["authorization"] == "Bearer secret"


@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/", "/v1/chat/completions"])
def test_a_base_url_is_found_however_much_of_it_was_given(fake: FakeLLM, tail: str) -> None:
    fake.replies = [say("Yes.")]
    address = fake.url.removesuffix("/v1") + tail
    assert told(openai(fake, address=address)) == "Yes."


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("localhost:8080", "http://localhost:8080/v1"),
        (":8080", "http://127.0.0.1:8080/v1"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080/v1"),
        ("https://api.example.org/openai/v1/", "https://api.example.org/openai/v1"),
        ("https://api.example.org/v1beta/openai", "https://api.example.org/v1beta/openai"),
    ],
)
def test_addresses_are_read_as_people_write_them(given: str, url: str) -> None:
    assert base_url(given) == url


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    fake: FakeLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    fake.replies = [say("Yes.")]
    assert told(openai(fake)) == "Yes."


REASONS = [
    ("whole", "<think>[1] says no.</think>It is fast [1]."),
    ("whole, with space", "\n<think>\nHm.\n</think>\n\nIt is fast [1]."),
    ("two", "<think>a</think>It is <thinking>b</thinking>fast [1]."),
    ("only closed", "Okay, the user asks [2] why.\n</think>\nIt is fast [1]."),
    ("only closed, long", "Let me see [3]. " * 200 + "</think>It is fast [1]."),
    ("magistral", "[THINK]Hm.[/THINK]It is fast [1]."),
    ("only opened behind the answer", "It is fast [1].<think>Was it?"),
]


@pytest.mark.parametrize(("kind", "text"), REASONS, ids=[k for k, _ in REASONS])
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_reasoning_in_tags_never_comes_out(fake: FakeLLM, kind: str, text: str, size: int) -> None:
    fake.replies = [say(text, size=size)]
    assert told(openai(fake), 4_000).strip() == "It is fast [1]."


def test_an_answer_that_is_all_reasoning_is_none(fake: FakeLLM) -> None:
    fake.replies = [say("<think>It is fast [1]. I think")]
    with pytest.raises(GeneratorUnavailable, match="answered with nothing"):
        told(openai(fake))


def test_reasoning_in_a_field_of_its_own_never_comes_out(fake: FakeLLM) -> None:
    fake.replies = [
        events(
            chunk(reasoning_content="Hm, [1]."),
            chunk(reasoning="Hm."),
            chunk("It is fast [1]."),
            chunk(finish="stop"),
        )
    ]
    assert told(openai(fake)) == "It is fast [1]."


def test_empty_choices_null_content_and_usage_alone_are_passed_over(fake: FakeLLM) -> None:
    fake.replies = [
        events(
            {"choices": []},
            {"choices": None},
            {"choices": [{"delta": {"content": None}}]},
            {"choices": [{}]},
            b": keep-alive\n\n",
            b"data: {damaged\n\n",
            b"data: 7\n\n",
            chunk("It is fast."),
            chunk(finish="stop"),
            {"choices": [], "usage": {"total_tokens": 3}},
        )
    ]
    assert told(openai(fake)) == "It is fast."


def test_an_answer_that_was_cut_says_so(fake: FakeLLM) -> None:
    fake.replies = [say("It is fast. It is", finish="length")]
    generator = openai(fake)
    assert told(generator) == "It is fast. It is"
    assert generator.finish == "length"


def test_a_stream_that_ends_without_saying_so_counts_as_cut(fake: FakeLLM) -> None:
    fake.replies = [events(chunk("It is fast. It"), done=False)]
    generator = openai(fake)
    assert told(generator) == "It is fast. It"
    assert generator.finish == "length"


def test_json_in_answer_to_a_stream_request_is_read(fake: FakeLLM) -> None:
    fake.replies = [answer_json({"choices": [{"message": {"content": "It is fast."}, "finish_reason": "stop"}]})]
    assert told(openai(fake)) == "It is fast."


def test_bytes_that_are_no_utf_8_cost_their_own_characters(fake: FakeLLM) -> None:
    fake.replies = [events(b'data: {"choices": [{"delta": {"content": "It \xff is fast."}}]}\n\n')]
    assert told(openai(fake)) == "It � is fast."


def test_an_endless_answer_is_cut_off(fake: FakeLLM) -> None:
    fake.replies = [Reply(body=b'data: {"choices": [{"delta": {"content": "more and "}}]}\n\n', then="repeat")]
    generator = openai(fake)
    assert 0 < len(told(generator)) < 10_000
    assert generator.finish == "length"


def test_endless_keep_alive_is_no_answer(fake: FakeLLM) -> None:
    fake.replies = [Reply(body=b": still here\n" * 100, then="repeat")]
    with pytest.raises(GeneratorUnavailable, match="nothing"):
        told(openai(fake))


def test_a_line_without_an_end_is_given_up(fake: FakeLLM) -> None:
    fake.replies = [Reply(body=b"data: " + b"x" * 4096, then="repeat")]
    with pytest.raises(GeneratorUnavailable, match="line without an end"):
        told(openai(fake))


LLAMA = {"type": "exceed_context_size_error", "n_prompt_tokens": 4390, "n_ctx": 4096}
FAILURES = [
    ("401", error(401, "Invalid API Key"), GeneratorRefused, "refuses the key", "OPENAI_API_KEY"),
    ("404", error(404, "The model `tiny` does not exist", type="x"), GeneratorRefused, "has no model tiny", "doctor"),
    ("429", error(429, "Rate limit reached"), GeneratorUnavailable, "busy", "wait"),
    ("500", error(500, "CUDA error"), GeneratorUnavailable, "CUDA error", "log"),
    ("503", error(503, "Loading model"), GeneratorUnavailable, "Loading model", "log"),
    ("200", error(500, "backend died", sent_as=200), GeneratorUnavailable, "backend died", "log"),
    ("in the stream", events(chunk("It"), {"error": {"message": "CUDA error", "code": 500}}), GeneratorUnavailable, "CUDA", "log"),  # noqa: E501
    ("llama.cpp overflow", error(400, "request (4390 tokens) exceeds the available context size", **LLAMA), ContextOverflow, "4,096 tokens", "context_tokens"),  # noqa: E501
    ("llama.cpp overflow as 500", error(500, "Context size has been exceeded.", type="server_error"), ContextOverflow, "longer than the context", "context_tokens"),  # noqa: E501
    ("OpenAI overflow", answer_json({"error": {"message": "This model's maximum context length is 8192 tokens.", "code": "context_length_exceeded"}}, 400), ContextOverflow, "8,192 tokens", "context_tokens"),  # noqa: E501
    ("overflow as 200", error(400, "x", sent_as=200, **LLAMA), ContextOverflow, "4,096 tokens", "context_tokens"),
    ("empty", say(""), GeneratorUnavailable, "answered with nothing", "--llm"),
    ("white space", say(" \n\n "), GeneratorUnavailable, "answered with nothing", "--llm"),
    ("a web page", Reply(body=b"<html>Hello</html>", kind="text/html"), GeneratorRefused, "no OpenAI-compatible server", "OPENAI_BASE_URL"),  # noqa: E501
    ("HTML error", Reply(status=502, body=b"<html>Bad gateway</html>", kind="text/html"), GeneratorUnavailable, "502", "log"),  # noqa: E501
    ("reset", Reply(body=b'data: {"choices": [{"delta": {"content": "It is"}}]}\n\n', then="reset"), GeneratorUnavailable, "broke off", "log"),  # noqa: E501
    ("accepts and never answers", Reply(then="hang"), GeneratorUnavailable, "did not answer in time", "llm_timeout"),
    ("begins and stops", Reply(body=b'data: {"choices": [{"delta": {"content": "It"}}]}\n\n', then="hang"), GeneratorUnavailable, "did not answer in time", "llm_timeout"),  # noqa: E501
]  # fmt: skip


@pytest.mark.parametrize(("kind", "reply", "wanted", "says", "hint"), FAILURES, ids=[f[0] for f in FAILURES])
def test_each_failure_is_one_clear_line_with_what_to_do(
    fake: FakeLLM, kind: str, reply: Reply, wanted: type[AccelragError], says: str, hint: str
) -> None:
    fake.replies = [reply]
    with pytest.raises(wanted, match=says) as caught:
        told(openai(fake))
    assert hint in caught.value.hint
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_an_overflow_tells_the_context(fake: FakeLLM) -> None:
    fake.replies = [error(400, "x", **LLAMA)]
    with pytest.raises(ContextOverflow) as caught:
        told(openai(fake))
    assert caught.value.limit == 4096


def test_a_closed_port_is_one_clear_line() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(GeneratorUnavailable, match="cannot be reached") as caught:
        told(OpenAIGenerator("tiny", address=f"127.0.0.1:{port}", timeout=60.0))
    assert "doctor" in caught.value.hint


def test_a_newer_models_parameters_are_adapted_to(fake: FakeLLM) -> None:
    def strict(payload: dict[str, object]) -> Reply:
        if "max_tokens" in payload:
            return error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        if "temperature" in payload:
            return error(400, "Unsupported value: 'temperature' does not support 0.")
        return say("Yes.")

    fake.replies = [strict]
    assert told(openai(fake)) == "Yes."
    assert fake.requests[-1]["max_completion_tokens"] == 64


def test_the_context_is_asked_of_llama_cpp(fake: FakeLLM) -> None:
    fake.pages["/props"] = {"default_generation_settings": {"n_ctx": 2048}}
    assert openai(fake).context_tokens() == 2048


def test_the_context_is_asked_of_vllm(fake: FakeLLM) -> None:
    fake.pages["/v1/models"] = {"data": [{"id": "other", "max_model_len": 1}, {"id": "tiny", "max_model_len": 32768}]}
    assert openai(fake).context_tokens() == 32768


def test_a_context_that_nobody_tells_is_taken_to_be_small(fake: FakeLLM) -> None:
    assert openai(fake).context_tokens() == 4096
    assert openai(fake, context_tokens=9000).context_tokens() == 9000


def test_tokens_are_counted_by_the_server_where_it_can(fake: FakeLLM) -> None:
    fake.posts["/tokenize"] = lambda payload: {"tokens": payload["content"].split()}
    assert openai(fake).count_tokens("one two three") == 3


def test_tokens_are_estimated_where_it_cannot(fake: FakeLLM) -> None:
    assert openai(fake).count_tokens("one two three") == estimate_tokens("one two three") == 5


def ollama(fake: FakeLLM, **options: int) -> OllamaGenerator:
    return OllamaGenerator("tiny", address=f"127.0.0.1:{fake.port}", timeout=fake.patience, **options)


def ndjson(*rows: str) -> Reply:
    return Reply(body="".join(row + "\n" for row in rows).encode(), kind="application/x-ndjson")


def test_ollama_is_asked_for_the_context_that_the_prompt_was_made_for(fake: FakeLLM) -> None:
    fake.posts["/api/show"] = lambda _: {"model_info": {"llama.context_length": 6000, "llama.block_count": 30}}
    fake.replies = [
        ndjson(
            '{"message": {"content": "", "thinking": "Hm [1]."}, "done": false}',
            '{"message": {"content": "It is "}, "done": false}',
            "damaged",
            '{"message": {"content": "fast [1]."}, "done": false}',
            '{"message": {"content": ""}, "done": true, "done_reason": "stop"}',
        )
    ]
    generator = ollama(fake)
    assert told(generator) == "It is fast [1]."
    assert generator.finish == "stop"
    assert fake.requests[0]["options"] == {"num_ctx": 6000, "num_predict": 64, "temperature": 0}


def test_ollamas_failures_are_clear_lines(fake: FakeLLM) -> None:
    fake.replies = [
        answer_json({"error": "model 'tiny' not found"}, 404),
        ndjson('{"error": "model runner has unexpectedly stopped"}'),
        ndjson('{"message": {"content": ""}, "done": true}'),
    ]
    for wanted, says in ((GeneratorRefused, "has no model tiny"), (GeneratorUnavailable, "unexpectedly stopped")):
        with pytest.raises(wanted, match=says):
            told(ollama(fake))
    with pytest.raises(GeneratorUnavailable, match="nothing"):
        told(ollama(fake))


@pytest.mark.parametrize("host", ["", "127.0.0.1", "http://0.0.0.0", "localhost"])
def test_ollamas_port_is_known(host: str) -> None:
    assert with_scheme(OllamaGenerator("m", address=host)._base).endswith(":11434")


@pytest.mark.parametrize("spec", ["", "tiny", "gpt:4", "openai:", "openai", "my-openai:x", "Openai:x", ":x"])
def test_a_spec_that_is_none_is_a_usage_error_that_names_the_forms(spec: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_generator(spec, Settings())
    assert "openai:MODEL" in caught.value.hint


def test_specs_make_the_generator_that_they_name() -> None:
    settings = Settings(openai_base_url="http://127.0.0.1:9/v1")
    assert make_generator("openai:a/b:c", settings).name == "openai:a/b:c"
    assert make_generator("ollama:qwen3:4b", settings).name == "ollama:qwen3:4b"
    assert make_generator("hf:some/folder", settings).name == "hf:some/folder"
    with pytest.raises(SettingsError) as caught:
        make_generator("openai:x", Settings())
    assert "OPENAI_BASE_URL" in caught.value.hint


def test_servers_on_their_usual_ports_are_found_with_the_command_that_uses_each() -> None:
    llama = FakeLLM(pages={"/v1/models": {"data": [{"id": "smol.gguf", "owned_by": "llamacpp"}]}})
    ollama_ = FakeLLM(pages={"/api/tags": {"models": [{"name": "qwen3:4b"}]}})
    empty = FakeLLM(pages={"/api/tags": {"models": []}})
    keyed = FakeLLM(pages={"/v1/models": Reply(status=401, body=b"{}", kind="application/json")})
    other = FakeLLM(pages={"/": {"hello": 1}})
    with llama, ollama_, empty, keyed, other:
        ports = [(s.port, "usual") for s in (llama, ollama_, empty, keyed, other)]
        found = discover_servers([*ports, (9, "nobody")], timeout=5.0)
    assert [(s.name, s.models, s.problem) for s in found] == [
        ("llama.cpp", ("smol.gguf",), ""),
        ("Ollama", ("qwen3:4b",), ""),
        ("Ollama", (), "it has no model yet"),
        ("usual", (), "it asks for a key"),
    ]
    assert f"OPENAI_BASE_URL=http://127.0.0.1:{llama.port}/v1" in found[0].command
    assert "--llm openai:smol.gguf" in found[0].command
    assert "--llm ollama:qwen3:4b" in found[1].command
