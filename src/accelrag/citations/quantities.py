"""Numbers with their units, so that "4x", "4 times" and "four-fold" are one thing and "4 GB" and "4 TB" are two."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

__all__ = ["Quantity", "matches", "quantities"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in base units. ``unit`` is empty where none is known; ``slack`` says how near is near enough."""

    value: float
    unit: str
    text: str
    slack: str = ""  # "", "about", "over" or "under"
    start: int = 0
    end: int = 0


_ONES = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
    "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90, "hundred": 100, "dozen": 12,
}  # fmt: skip
_FACTORS = {
    "twice": 2, "doubles": 2, "doubled": 2, "doubling": 2, "double": 2, "triple": 3, "triples": 3, "tripled": 3,
    "tripling": 3, "thrice": 3, "quadruple": 4, "quadruples": 4, "quadrupled": 4,
}  # fmt: skip
_HALVES = {"half", "halve", "halves", "halved", "halving"}
_SCALES = {
    "k": 1e3,
    "m": 1e6,
    "b": 1e9,
    "t": 1e12,
    "g": 1e9,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
}
_PREFIX = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "p": 1e15, "e": 1e18}
_UNITS: dict[str, tuple[str, float]] = {
    "x": ("x", 1), "times": ("x", 1), "fold": ("x", 1), "×": ("x", 1),
    "%": ("%", 1), "percent": ("%", 1), "percentage": ("%", 1), "pct": ("%", 1),
    "bit": ("bit", 1), "bits": ("bit", 1), "byte": ("byte", 1), "bytes": ("byte", 1),
    "ns": ("s", 1e-9), "µs": ("s", 1e-6), "μs": ("s", 1e-6), "us": ("s", 1e-6), "ms": ("s", 1e-3),
    "nanosecond": ("s", 1e-9), "microsecond": ("s", 1e-6), "millisecond": ("s", 1e-3),
    "sec": ("s", 1), "secs": ("s", 1), "second": ("s", 1), "minute": ("s", 60), "min": ("s", 60), "mins": ("s", 60),
    "hour": ("s", 3600), "hr": ("s", 3600), "hrs": ("s", 3600), "day": ("s", 86400), "week": ("s", 604800),
    "month": ("month", 1), "year": ("year", 1),
    "w": ("watt", 1), "watt": ("watt", 1), "mw": ("watt", 1e-3), "kw": ("watt", 1e3),
    "hz": ("hertz", 1), "khz": ("hertz", 1e3), "mhz": ("hertz", 1e6), "ghz": ("hertz", 1e9),
    "nm": ("metre", 1e-9), "mm": ("metre", 1e-3), "mm2": ("mm2", 1),
    "fps": ("fps", 1), "dollar": ("$", 1), "usd": ("$", 1),
    "token": ("token", 1), "parameter": ("parameter", 1), "param": ("parameter", 1),
    "gpu": ("gpu", 1), "tpu": ("tpu", 1), "cpu": ("cpu", 1), "core": ("core", 1), "chip": ("chip", 1),
    "node": ("node", 1),
    "layer": ("layer", 1), "head": ("head", 1), "expert": ("expert", 1), "image": ("image", 1), "epoch": ("epoch", 1),
    "step": ("step", 1), "iteration": ("step", 1), "game": ("game", 1), "task": ("task", 1),
    "benchmark": ("benchmark", 1),
    "lecture": ("lecture", 1), "chapter": ("chapter", 1), "page": ("page", 1),
    "dataset": ("dataset", 1), "model": ("model", 1),
    "point": ("point", 1), "bleu": ("bleu", 1), "order": ("order", 1), "line": ("line", 1), "star": ("star", 1),
    "request": ("request", 1), "language": ("language", 1), "stage": ("stage", 1), "level": ("level", 1),
}  # fmt: skip
for _letter, _factor in _PREFIX.items():
    _UNITS[f"{_letter}b" if _letter else "byte"] = ("byte", _factor)
    _UNITS[f"{_letter}ib"] = ("byte", _factor)
    _UNITS[f"{_letter}bps"] = ("bit/s", _factor)
    for _name in ("flops", "flop/s", "op/s", "ops"):
        _UNITS[f"{_letter}{_name}"] = ("op/s", _factor)
for _long, _short in (("kilo", "k"), ("mega", "m"), ("giga", "g"), ("tera", "t"), ("peta", "p"), ("exa", "e")):
    _UNITS[f"{_long}byte"] = _UNITS[f"{_short}b"]
    for _name in ("flops", "flop", "ops", "op"):
        _UNITS[f"{_long}{_name}"] = ("op/s", _PREFIX[_short])
_UNITS["b"] = ("", 1e9)  # 7B is a count, not bytes

_NUMBER = re.compile(
    r"(?<![\w.])(?<!(?<!\d)[A-Za-z]-)(?P<currency>[$€£]\s?)?"
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?P<fraction>\.\d+)?"
    r"(?P<power>\s?[x×]\s?10\^?-?\d+)?"
    r"(?:[\s-]?(?P<scale>thousand|million|billion|trillion)\b|(?P<letter>[kKMBTG])(?![A-Za-z/]))?"
    r"(?:[\s-]{0,2}(?P<unit>%|[x×X](?![A-Za-z0-9])|per\s?cent\b|[µμ]s\b|[A-Za-z]+(?:/s(?:ec)?)?\d?(?![\w])))?"
)
_WORD = re.compile(
    r"\b(?P<word>" + "|".join([*_ONES, *_FACTORS, *_HALVES]) + r")\b"
    r"(?:[\s-](?P<scale>thousand|million|billion|trillion|hundred|dozen)s?\b)?(?:[\s-](?P<unit>percent|[A-Za-z]+))?",
    re.IGNORECASE,
)
_ORDER = re.compile(r"\b(?:an|one) order of magnitude\b", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*(?:-|–|—|~|to|and|or|,|/|, and|, or)\s*(?:[$€£])?(?:up to |about |roughly )?")
_FORMAT = re.compile(r"(?<![A-Za-z])(?:u?int|fp|bf|float|tf|nf|mxfp|nvfp)-?(\d{1,2})(?!\d)", re.IGNORECASE)
_ABOUT = re.compile(
    r"(?:\babout|\baround|\broughly|\bapproximately|\bnearly|\balmost|\bclose to|~|≈|\bsome)\s*[$€£]?$", re.IGNORECASE
)
_OVER = re.compile(r"(?:\bover|\bmore than|\bat least|\babove|\bexceed(?:s|ing)|>|≥)\s*[$€£]?$", re.IGNORECASE)
_UNDER = re.compile(r"(?:\bunder|\bless than|\bat most|\bbelow|\bfewer than|<|≤)\s*[$€£]?$", re.IGNORECASE)


def quantities(text: str) -> list[Quantity]:
    """The quantities of a text, in order. Digits inside names (H100, GPT-3, v2) are none; see ``names``."""
    found: list[tuple[int, int, Quantity]] = []
    for m in _NUMBER.finditer(text):
        value = float(m["digits"].replace(",", "") + (m["fraction"] or ""))
        unit, factor = _unit(m["unit"], text, m.end())
        end = m.start("unit") if m["unit"] and not unit and factor == 1.0 else m.end()
        if m["scale"]:
            value *= _SCALES[m["scale"].lower()]
        elif m["letter"]:
            value *= _SCALES[m["letter"].lower()]
        if m["power"]:
            value *= 10.0 ** int(re.sub(r".*10\^?", "", m["power"]))
        if m["currency"]:
            unit = m["currency"].strip()
        shown = text[m.start() : end].strip()
        quantity = Quantity(value * factor, unit, shown, _slack(text, m.start()))
        found.append((m.start(), m.start() + len(shown), quantity))
    found += [(m.start(), m.end(), Quantity(1.0, "order", m[0])) for m in _ORDER.finditer(text)]
    taken = [(a, b) for a, b, _ in found]
    for m in _WORD.finditer(text):
        in_words = None if any(a <= m.start("word") < b for a, b in taken) else _in_words(m, text)
        if in_words:
            found.append((m.start(), m.end("word"), in_words))
    found.sort(key=lambda item: (item[0], item[1]))
    found = _shared_units(found, text)
    formats = [Quantity(float(m[1]), "bit", m[0]) for m in _FORMAT.finditer(text)]
    placed = [replace(q, start=start, end=end) for start, end, q in found]
    return placed + [replace(q, slack="format") for q in formats]


def matches(claimed: Quantity, given: Quantity) -> bool:
    """Whether a text that states ``given`` states ``claimed``."""
    if claimed.unit and given.unit and claimed.unit != given.unit:
        if {claimed.unit, given.unit} == {"%", "half"}:
            return {claimed.value, given.value} == {50.0, 0.5}
        return False
    if "half" in (claimed.unit, given.unit) and claimed.unit != given.unit:
        return claimed.value == given.value
    low, high = {"about": (0.95, 1.05), "over": (1.0, 1.1), "under": (0.9, 1.0)}.get(claimed.slack, (1.0, 1.0))
    return (
        claimed.value * low - 1e-9 <= given.value * (1 + 1e-9)
        and given.value <= claimed.value * high * (1 + 1e-9) + 1e-12
    )


def _unit(raw: str | None, text: str, end: int) -> tuple[str, float]:
    if not raw:
        return "", 1.0
    lowered = re.sub(r"\s", "", raw.lower())
    rate = bool(re.search(r"/s(?:ec)?$", lowered)) or text[end : end + 11].lower().startswith(
        (" per second", "/second")
    )
    bare = re.sub(r"/s(?:ec)?$", "", lowered)
    for word in (bare, bare.removesuffix("s")):
        if word in _UNITS:
            unit, factor = _UNITS[word]
            return (f"{unit}/s" if rate and unit and not unit.endswith("/s") else unit), float(factor)
    return "", 1.0


def _in_words(m: re.Match[str], text: str) -> Quantity | None:
    word = m["word"].lower()
    slack = _slack(text, m.start())
    if word in _HALVES:
        return Quantity(0.5, "half", m["word"], slack)
    if word in _FACTORS:
        return Quantity(float(_FACTORS[word]), "x", m["word"], slack)
    unit, factor = _unit(m["unit"], text, m.end())
    scale = {"hundred": 100.0, "dozen": 12.0, **_SCALES}.get((m["scale"] or "").lower(), 1.0)
    if word == "one" and unit in ("", "model", "line", "level", "stage", "task") and scale == 1.0:
        return None  # a pronoun more often than a number
    return Quantity(_ONES[word] * scale * factor, unit, m[0].strip() if unit else m["word"], slack)


def _slack(text: str, start: int) -> str:
    before = text[max(0, start - 20) : start]
    for name, pattern in (("about", _ABOUT), ("over", _OVER), ("under", _UNDER)):
        if pattern.search(before):
            return name
    return ""


def _shared_units(found: list[tuple[int, int, Quantity]], text: str) -> list[tuple[int, int, Quantity]]:
    """In "2-4x" and "7, 13 and 70 billion" the earlier numbers have the last one's unit and scale."""
    for i in range(len(found) - 2, -1, -1):
        start, end, q = found[i]
        following = found[i + 1][2]
        year = q.value == int(q.value) and 1900 <= q.value <= 2099
        if q.unit or year or not _BETWEEN.fullmatch(text[end : found[i + 1][0]]):
            continue
        bare = re.match(r"[$€£]?[\d,]+(?:\.\d+)?", following.text)
        own = float(re.sub(r"[^\d.]", "", bare[0])) if bare and bare[0] else following.value
        scale = following.value / own if own else 1.0
        bare_number = re.fullmatch(r"[\d.]+", q.text) and q.value < 1_000
        value = q.value * scale if bare_number else q.value
        found[i] = (start, end, Quantity(value, following.unit, q.text, q.slack))
    return found
