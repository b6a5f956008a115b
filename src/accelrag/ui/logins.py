"""Who may use the page, and who may change the library.

``user:password`` is one login, the admin. A file holds one login a line, ``user:HASH``, with ``:admin`` behind those
who may update the library; ``accelrag serve --hash-password USER`` prints such a line. Hashes are Argon2id, RFC 9106.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from accelrag.errors import SettingsError

__all__ = ["Attempts", "Logins", "hashed_login"]

_HINT = "give user:password, or a file with a line user:HASH each: `accelrag serve --hash-password USER` prints one"
_HASHER = PasswordHasher()
_AT_ONCE = threading.Semaphore(2)  # each check takes 64 MB for its time
_FREE = 3  # wrong passwords before a client has to wait
_LONGEST = 300.0
_CLIENTS = 10_000


@dataclass(frozen=True, slots=True)
class Logins:
    """The known users with their password hashes, and the admins among them."""

    hashes: dict[str, str]
    admins: frozenset[str]

    @classmethod
    def read(cls, auth: str) -> Logins | None:
        """The logins that the setting names; None where it is empty.

        Raises:
            SettingsError: it is neither ``user:password`` nor a file of logins.
        """
        if not auth:
            return None
        path = Path(auth).expanduser()
        try:
            is_file = path.is_file()
        except (OSError, ValueError):
            is_file = False
        if is_file:
            return cls._from_file(path)
        user, colon, password = auth.partition(":")
        if not colon or not user or not password:
            raise SettingsError("the login is neither user:password nor a file that is there", hint=_HINT)
        return cls({user: _HASHER.hash(password)}, frozenset({user}))

    @classmethod
    def _from_file(cls, path: Path) -> Logins:
        hashes: dict[str, str] = {}
        admins = set()
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"the logins in {path} cannot be read: {error}", hint=_HINT) from error
        for number, line in enumerate(lines, start=1):
            if not line.strip() or line.startswith("#"):
                continue
            user, _, rest = line.strip().partition(":")
            stored, _, role = rest.partition(":")
            if stored.startswith("scrypt$"):
                raise SettingsError(
                    f"line {number} of {path} holds a hash of an earlier accelrag",
                    hint=f"make it anew: accelrag serve --hash-password {user}",
                )
            if not user or not _is_hash(stored) or role not in ("", "admin"):
                raise SettingsError(f"line {number} of {path} is no login", hint=_HINT)
            hashes[user] = stored
            if role:
                admins.add(user)
        if not hashes:
            raise SettingsError(f"{path} holds no login", hint=_HINT)
        return cls(hashes, frozenset(admins))

    def check(self, user: str, password: str) -> bool:
        """Whether the password is the user's. An unknown user takes as long as a known one."""
        stored = self.hashes.get(user)
        try:
            with _AT_ONCE:
                return _HASHER.verify(stored or _nobody(), password) and stored is not None
        except (VerificationError, InvalidHashError):
            return False

    async def admit(self, user: str, password: str) -> bool:
        """As ``check``, on a thread of its own: other requests go on meanwhile."""
        return await asyncio.to_thread(self.check, user, password)


class Attempts:
    """Slows clients that give wrong passwords: after three, each further one doubles the wait, up to five minutes."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failed: OrderedDict[str, tuple[int, float]] = OrderedDict()  # how often, and until when to wait

    def wait(self, client: str) -> float:
        """Seconds until the client may try again; 0 when it may now."""
        _, until = self._failed.get(client, (0, 0.0))
        return max(0.0, until - self._clock())

    def failed(self, client: str) -> None:
        """Count a wrong password."""
        count = self._failed.pop(client, (0, 0.0))[0] + 1
        pause = min(_LONGEST, 2.0 ** (count - _FREE)) if count >= _FREE else 0.0
        self._failed[client] = (count, self._clock() + pause)
        while len(self._failed) > _CLIENTS:
            self._failed.popitem(last=False)

    def succeeded(self, client: str) -> None:
        """Forget what a client did wrong."""
        self._failed.pop(client, None)


def hashed_login(user: str, password: str, *, admin: bool = False) -> str:
    """A line for a file of logins.

    Raises:
        SettingsError: such a line cannot hold the name or the password is empty.
    """
    if not user or ":" in user or user.startswith("#") or not user.isprintable() or not password:
        raise SettingsError("a login needs a name without a colon and a password", hint=_HINT)
    return f"{user}:{_HASHER.hash(password)}{':admin' if admin else ''}"


@cache
def _nobody() -> str:
    return _HASHER.hash("nobody")


def _is_hash(stored: str) -> bool:
    from argon2 import extract_parameters

    try:
        parameters = extract_parameters(stored)
    except InvalidHashError:
        return False
    return parameters.memory_cost <= 2**20 and parameters.time_cost <= 32  # at most 1 GB for one check
