"""One frozen Settings, read once by the front ends: flags, then environment, then file, then default.

The file is ``accelrag.toml`` in the home, else ``config.toml`` in the user's config folder. A key that is not a
setting is an error that names the nearest one. Secrets come from the environment or the file and are never printed.
"""

from __future__ import annotations

import difflib
import ipaddress
import math
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from accelrag.errors import SettingsError

__all__ = ["DEFAULT_LIST", "Settings", "find_home", "is_loopback", "user_data_home"]

DEFAULT_LIST = "awesome-ai-accelerators.md"

_ALIASES = {
    "openai_base_url": "OPENAI_BASE_URL",
    "openai_api_key": "OPENAI_API_KEY",
    "ollama_host": "OLLAMA_HOST",
    "github_token": "GITHUB_TOKEN",
}
# Variables that other parts of a machine set for tests and tools, not settings.
_NOT_SETTINGS = {"ACCELRAG_SHARED"}


def _setting(default: Any, about: str, *, secret: bool = False, least: float = 0, most: float = math.inf) -> Any:
    if isinstance(default, dict):
        return field(
            default_factory=dict,
            hash=False,
            metadata={"about": about, "secret": secret, "least": least, "most": most},
        )
    return field(default=default, metadata={"about": about, "secret": secret, "least": least, "most": most})


@dataclass(frozen=True, slots=True)
class Settings:
    """Every value that a person can set. Times are in seconds, sizes in bytes."""

    home: Path = _setting(Path("."), "folder that holds corpus/ and index/")
    list: str = _setting("", "the list: a path or URL; empty means the one in corpus/")
    model: str = _setting("", "embedding model: a local folder or a hub name; empty means the bundled MiniLM")
    llm: str = _setting("", "generator: empty for extractive, openai:MODEL, ollama:MODEL or hf:MODEL")
    rerank: str = _setting("", "cross-encoder that reorders the hits: a local folder or a hub name")
    verifier: str = _setting("", "NLI cross-encoder for verification: a local folder or a hub name")
    top_k: int = _setting(8, "entries that a search returns", least=1, most=1000)
    threads: int = _setting(0, "threads for the encoder; 0 means all cores")
    openai_base_url: str = _setting("", "address of an OpenAI-compatible server")
    openai_api_key: str = _setting("", "key for it", secret=True)
    ollama_host: str = _setting("", "address of an Ollama server")
    context_tokens: int = _setting(0, "context of the language model in tokens; 0 asks the server")
    max_answer_tokens: int = _setting(512, "longest answer that a language model may write", least=1)
    llm_timeout: float = _setting(120.0, "longest silence of a language model server", least=0.1)
    arxiv_api: str = _setting("https://export.arxiv.org/api/query", "arXiv API")
    github_api: str = _setting("https://api.github.com", "GitHub API")
    github_raw: str = _setting("https://raw.githubusercontent.com", "GitHub raw files")
    crossref_api: str = _setting("https://api.crossref.org", "Crossref API")
    s2_api: str = _setting("https://api.semanticscholar.org", "Semantic Scholar API")
    openalex_api: str = _setting("https://api.openalex.org", "OpenAlex API")
    github_token: str = _setting("", "token for GitHub", secret=True)
    allow_private: bool = _setting(False, "fetch from loopback and private addresses")
    contact: str = _setting("https://github.com/accelrag/accelrag", "contact in the User-Agent")
    fetch_timeout: float = _setting(30.0, "longest time for one fetch", least=0.1)
    fetch_bytes: int = _setting(25_000_000, "largest body, on the wire and after decompression", least=1)
    fetch_workers: int = _setting(8, "hosts that are fetched at the same time", least=1)
    refresh_days: float = _setting(30.0, "age in days after which a document is asked for again")
    pdf_pages: int = _setting(12, "pages of a PDF that are read")
    host: str = _setting("127.0.0.1", "address that the web page listens on")
    port: int = _setting(7860, "port that the web page listens on", most=65_535)
    auth: str = _setting("", "user:password for the web page, or a file of them", secret=True)
    root_path: str = _setting("", "path of the web page behind a proxy")
    public_url: str = _setting("", "address under which others reach the web page, such as https://lists.example.org")
    library: str = _setting("local", "who may update from the web page: local, login or everyone")
    visitor_models: bool = _setting(True, "visitors of the web page may choose a language model")
    embed_in: str = _setting("", "origins that may show the page in a frame, separated by spaces; * means all")
    api: bool = _setting(False, "answer OpenAI-compatible requests under /v1")
    api_key: str = _setting("", "key that these requests must carry", secret=True)
    rate_limit: int = _setting(60, "questions a minute and client on the web page")
    bases: Mapping[str, str] = _setting(
        {}, "base addresses of sources by name: [bases] in the file, ACCELRAG_BASE_<NAME>"
    )
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def corpus_dir(self) -> Path:
        """Where the list and the fetched text are."""
        return self.home / "corpus"

    @property
    def index_dir(self) -> Path:
        """Where the index generations are."""
        return self.home / "index"

    @classmethod
    def load(
        cls,
        flags: Mapping[str, Any] | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Settings:
        """Read flags, environment and file.

        Raises:
            SettingsError: a key is unknown or a value is not of its type; names the key and where it stands.
        """
        environ = os.environ if environ is None else environ
        flags = {k: v for k, v in (flags or {}).items() if v is not None}
        home, home_origin = find_home(flags.get("home"), environ=environ, cwd=cwd)
        values: dict[str, Any] = {"home": home}
        origins: dict[str, str] = {"home": home_origin}
        layers = [*_file_layers(home), _environment_layer(environ), ("flag", flags)]
        for origin, layer in layers:
            for key, raw in layer.items():
                if key == "home":
                    continue
                made = _coerce(key, raw, origin)
                values[key] = {**values.get(key, {}), **made} if key == "bases" else made
                origins[key] = origin if origin != "environment" else _variable_of(key, environ)
        return cls(**values, origins=origins)

    @classmethod
    def keys(cls) -> tuple[str, ...]:
        """The names of all settings."""
        return tuple(f.name for f in fields(cls) if f.name != "origins")

    def explain(self) -> tuple[tuple[str, str, str, str], ...]:
        """``(key, value, origin, about)`` for each setting; secrets are hidden."""
        rows = []
        for f in fields(self):
            if f.name == "origins":
                continue
            value = getattr(self, f.name)
            shown = ("(hidden)" if value else "") if f.metadata["secret"] else str(value)
            rows.append((f.name, shown, self.origins.get(f.name, "default"), f.metadata["about"]))
        return tuple(rows)


def is_loopback(host: str) -> bool:
    """Whether a host name or address is of this machine alone (RFC 6761 for names below ``localhost``)."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def user_data_home() -> Path:
    """The user's data folder for accelrag."""
    import platformdirs

    return Path(platformdirs.user_data_dir("accelrag", appauthor=False))


def find_home(
    flag: str | os.PathLike[str] | None, *, environ: Mapping[str, str], cwd: Path | None = None
) -> tuple[Path, str]:
    """The home and where it was named: ``--home``, ACCELRAG_HOME, a folder with corpus/, the user's data folder.

    Raises:
        SettingsError: it starts with ``~`` and a user that does not exist.
    """
    for named, origin in ((flag, "flag"), (environ.get("ACCELRAG_HOME"), "ACCELRAG_HOME")):
        if named:
            try:
                return Path(named).expanduser().absolute(), origin
            except RuntimeError as error:
                raise SettingsError(f"home {named} cannot be found: {error}", hint="give a whole path") from error
    here = (cwd or Path.cwd()).absolute()
    if (here / "corpus").is_dir():
        return here, "current folder"
    return user_data_home(), "user data folder"


def _file_layers(home: Path) -> list[tuple[str, Mapping[str, Any]]]:
    import platformdirs

    found: list[tuple[str, Mapping[str, Any]]] = []
    user = Path(platformdirs.user_config_dir("accelrag", appauthor=False)) / "config.toml"
    for path in (user, home / "accelrag.toml"):
        if not path.is_file():
            continue
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise SettingsError(f"{path} cannot be read: {error}", hint="fix the file or remove it") from error
        for key in data:
            _known(key, str(path))
        found.append((str(path), data))
    return found


def _environment_layer(environ: Mapping[str, str]) -> tuple[str, Mapping[str, Any]]:
    layer: dict[str, Any] = {}
    for key, alias in _ALIASES.items():
        if environ.get(alias):
            layer[key] = environ[alias]
    for variable, value in environ.items():
        if not variable.startswith("ACCELRAG_") or variable in _NOT_SETTINGS or not value:
            continue
        key = variable.removeprefix("ACCELRAG_").lower()
        if key.startswith("base_"):
            layer.setdefault("bases", {})[key.removeprefix("base_")] = value
            continue
        _known(key, "environment", shown=variable)
        layer[key] = value
    return "environment", layer


def _variable_of(key: str, environ: Mapping[str, str]) -> str:
    own = f"ACCELRAG_{key.upper()}"
    return own if environ.get(own) else _ALIASES.get(key, own)


def _known(key: str, origin: str, *, shown: str = "") -> None:
    keys = Settings.keys()
    if key in keys:
        return
    near = difflib.get_close_matches(key, keys, n=1)
    guess = f"did you mean {near[0]}? " if near else ""
    raise SettingsError(
        f"unknown setting {shown or key!r} in {origin}", hint=f"{guess}`accelrag config` lists the settings"
    )


_SWITCH = {word: on for on, said in ((True, "1 true yes on"), (False, "0 false no off")) for word in said.split()}


def _coerce(key: str, raw: Any, origin: str) -> Any:
    _known(key, origin)
    setting = {f.name: f for f in fields(Settings)}[key]
    if key == "bases":
        return _addresses(raw, origin)
    default = setting.default
    shown = "(hidden)" if setting.metadata["secret"] else repr(raw)[:80]
    problem = SettingsError(
        f"setting {key} in {origin} has a bad value: {shown}", hint=f"give {_accepted(default, setting.metadata)}"
    )
    value: Any
    if isinstance(default, bool):
        value = _SWITCH.get(str(raw).strip().lower())
    elif isinstance(default, (int, float)):
        value = _number(type(default), raw, setting.metadata["least"], setting.metadata["most"])
    else:
        value = str(raw) if isinstance(raw, (str, os.PathLike)) else None
    if value is None:
        raise problem
    return value


def _number(kind: type[int] | type[float], raw: Any, least: float, most: float) -> float | None:
    """``raw`` as a number of this kind within the bounds, else None; half of an integer is none."""
    try:
        value = kind(raw)
    except (TypeError, ValueError, OverflowError):
        return None
    cut = isinstance(raw, float) and value != raw
    return None if isinstance(raw, bool) or cut or not math.isfinite(value) or not least <= value <= most else value


def _addresses(raw: Any, origin: str) -> Mapping[str, str]:
    if not isinstance(raw, Mapping):
        raise SettingsError(f"bases in {origin} is no table", hint='write [bases] and name = "https://..." below it')
    for name, address in raw.items():
        if not str(address).startswith(("http://", "https://")):
            raise SettingsError(
                f"the base address {name} in {origin} is no http(s) address: {str(address)[:80]!r}",
                hint="give an address like https://mirror.example.org",
            )
    return {str(name).lower(): str(address) for name, address in raw.items()}


def _accepted(default: Any, metadata: Mapping[str, Any]) -> str:
    if isinstance(default, bool):
        return "true or false"
    if not isinstance(default, (int, float)):
        return f"a text like {default!r}" if default else "a text"
    kind = "a number" if isinstance(default, float) else "a whole number"
    least, most = metadata["least"], metadata["most"]
    return f"{kind} of at least {least}" if math.isinf(most) else f"{kind} from {least} to {most}"
