"""``accelrag ask``."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from accelrag import pipeline
from accelrag.cli.console import notice, out, out_json, paint, progress, safe, width
from accelrag.cli.options import common, filtering, filters, generating, json_option, questions, settings_of
from accelrag.errors import AccelragError, UsageError
from accelrag.types import Answer, Citation, Filters, Rejection, Sentence, Turn
from accelrag.types.rendering import citation_place

if TYPE_CHECKING:
    from accelrag.pipeline import Assistant

__all__ = ["ask_command", "shown"]


@click.command("ask", short_help="A cited answer to a question.")
@click.argument("question", required=False)
@common
@filtering
@generating
@json_option
@click.option("--chat", is_flag=True, help="Ask on: follow-ups know what came before.")
@click.option("--show-prompt", is_flag=True, help="Print what the language model would be sent, and stop.")
@click.option("--show-unsupported", is_flag=True, help="Show what was written and not supported, struck through.")
@click.option("--stream/--no-stream", default=True, help="Show each sentence as soon as it is verified.")
def ask_command(
    question: str | None,
    home: str | None,
    model: str | None,
    list_: str | None,
    sections: tuple[str, ...],
    kinds: tuple[str, ...],
    top_k: int | None,
    llm: str | None,
    no_llm: bool,
    rerank: str | None,
    verifier: str | None,
    as_json: bool,
    chat: bool,
    show_prompt: bool,
    show_unsupported: bool,
    stream: bool,
) -> int:
    """Answer QUESTION with sentences that can be checked; `-` reads one question a line.

    \b
    accelrag ask "What does PagedAttention do about wasted GPU memory?"
    accelrag ask "Which simulators model DRAM?" --kind repository --json
    accelrag ask --llm ollama:qwen3:4b "How does FlashAttention save memory?"
    accelrag ask --chat
    """

    if no_llm:
        llm = ""
    settings = settings_of(
        home=home, model=model, list_=list_, top_k=top_k, llm=llm, rerank=rerank, verifier=verifier
    )
    if not question and not chat:
        raise UsageError("there is no question", hint='ask something: accelrag ask "What is PagedAttention?"')
    if question and question != "-":
        pipeline.clean_question(question)  # what is wrong with it is said before an index is built
    with progress() as bar:
        assistant = pipeline.Assistant.open(settings, progress=bar, notice=notice)
    restricted = filters(sections, kinds)
    if chat:
        from accelrag.cli.chat import converse

        return converse(assistant, restricted, question or "", shown, unsupported=show_unsupported)
    assert question is not None
    if show_prompt:
        for text in questions(question):
            out(safe(assistant.prompt(text, filters=restricted)))
        return 0
    codes = [
        _one(
            assistant,
            text,
            restricted,
            as_json=as_json,
            stream=stream,
            batch=question == "-",
            unsupported=show_unsupported,
        )
        for text in questions(question)
    ]
    return max(codes, default=0) if question != "-" else 0


def _one(
    assistant: Assistant,
    question: str,
    restricted: Filters,
    *,
    as_json: bool,
    stream: bool,
    batch: bool,
    unsupported: bool,
) -> int:
    try:
        if as_json:
            answer = assistant.ask(question, filters=restricted)
            out_json(answer.to_dict())
        else:
            answer = shown(assistant, question, restricted, stream=stream, unsupported=unsupported)
    except AccelragError as error:
        if not batch:
            raise
        if as_json:
            out_json({"question": question[:200], **error.to_dict()})
        else:
            notice(f"error: {error}")
        return error.exit_code
    return 3 if answer.refused else 0


def shown(  # noqa: C901 - the parts of an answer in their order
    assistant: Assistant,
    question: str,
    restricted: Filters,
    *,
    stream: bool = True,
    unsupported: bool = False,
    history: Sequence[Turn] = (),
) -> Answer:
    """Show an answer as it comes, with its sources; the answer."""
    count = 0
    answer: Answer | None = None
    for event in assistant.events(question, filters=restricted, history=history):
        if isinstance(event, Answer):
            answer = event
        elif isinstance(event, Sentence):
            if stream:
                _sentence(event, first=count == 0)
            count += 1
        elif isinstance(event, Rejection):
            if unsupported:
                out(f"{paint(safe(event.text), 'struck')} {paint(f'({safe(event.reason)})', 'dim')}", flush=True)
        elif count and stream:
            notice("What stands above was the model thinking aloud, not its answer.")
            count = 0
    assert answer is not None
    if not stream:
        for position, sentence in enumerate(answer.sentences):
            _sentence(sentence, first=position == 0)
    if answer.refused:
        _refusal(answer)
    else:
        _sources(answer)
    for line in answer.notices:
        notice(line)
    return answer


def _sentence(sentence: Sentence, *, first: bool) -> None:
    lead = sentence.lead.strip()
    bullet = lead.startswith("-")
    text = safe(str(sentence))
    indent = "  " if bullet or sentence.lead.endswith("\n  ") else ""
    wrapped = textwrap.fill(
        text,
        width(),
        initial_indent="- " if bullet else indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )
    if not first and sentence.lead.startswith("\n\n"):
        out()
    for n in sentence.citations:
        wrapped = wrapped.replace(f"[{n}]", paint(f"[{n}]", "number"))
    out(wrapped, flush=True)


def _sources(answer: Answer) -> None:
    out()
    for citation in answer.citations:
        _source(citation)
    if answer.also:
        titles = ", ".join(safe(r.entry.title) for r in answer.also[:3])
        out(paint(textwrap.fill(f"Also found: {titles}", width(), subsequent_indent="  "), "dim"))


def _source(citation: Citation) -> None:
    entry = citation.entry
    out(f"{paint(f'[{citation.n}]', 'number')} {paint(safe(entry.title), 'title')}")
    out(f"    {paint(safe(entry.url), 'link')}")
    out(f"    {paint(safe(f'{citation_place(citation)}'), 'dim')}")


def _refusal(answer: Answer) -> None:
    out(paint(safe(answer.reason), "warn"))
    if answer.also:
        out("Not an answer, but near:")
        for result in answer.also:
            out(f"- {safe(result.entry.title)}  {paint(safe(result.entry.url), 'link')}")
