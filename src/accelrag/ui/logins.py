"""Who may use the page, and who may change the library.

``user:password`` is one login, the admin. A file holds one login a line, ``user:scrypt$N$r$p$salt$hash``, with
``:admin`` behind those who may update the library; ``accelrag serve --hash-password USER`` prints such a line.
scrypt: RFC 7914.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
from dataclasses import dataclass
from pathlib import Path

from accelrag.errors import SettingsError

__all__ = ["Logins", "hashed_login"]

_N, _R, _P = 2**14, 8, 1
_HINT = "give user:password, or a file with a line user:HASH each: `accelrag serve --hash-password USER` prints one"


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
        return cls({user: _hashed(password)}, frozenset({user}))

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
            if not user or _parts(stored) is None or role not in ("", "admin"):
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
        parts = _parts(stored or _hashed("nobody", b"\0" * 16))
        assert parts is not None
        n, r, p, salt, wanted = parts
        found = hashlib.scrypt(password.encode(), salt=salt, n=n, r=r, p=p, dklen=len(wanted), maxmem=2**27)
        return hmac.compare_digest(found, wanted) and stored is not None


def hashed_login(user: str, password: str, *, admin: bool = False) -> str:
    """A line for a file of logins.

    Raises:
        SettingsError: the name cannot stand in such a line or the password is empty.
    """
    if not user or ":" in user or user.startswith("#") or not user.isprintable() or not password:
        raise SettingsError("a login needs a name without a colon and a password", hint=_HINT)
    return f"{user}:{_hashed(password)}{':admin' if admin else ''}"


def _hashed(password: str, salt: bytes | None = None) -> str:
    salt = salt or os.urandom(16)
    digest = hashlib.scrypt(password.encode(), salt=salt, n=_N, r=_R, p=_P, dklen=32, maxmem=2**27)
    return f"scrypt${_N}${_R}${_P}${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"


def _parts(stored: str) -> tuple[int, int, int, bytes, bytes] | None:
    try:
        name, n, r, p, salt, digest = stored.split("$")
        found = int(n), int(r), int(p), base64.b64decode(salt, validate=True), base64.b64decode(digest, validate=True)
    except (ValueError, binascii.Error):
        return None
    bounded = name == "scrypt" and 2 <= found[0] <= 2**18 and found[0] & (found[0] - 1) == 0
    return found if bounded and 1 <= found[1] <= 16 and 1 <= found[2] <= 4 and found[3] and found[4] else None
