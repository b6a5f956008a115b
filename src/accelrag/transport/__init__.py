"""The only room that opens a socket for fetching: polite, and safe against hostile addresses and bodies.

What it does: HTTP GET and JSON POST, robots.txt, spacing, retries, circuits, redirects, limits. What it does not:
know what an entry or a document is. It stands on httpcore, the engine of httpx, because only there the address that
was judged can be the one that is connected to, and only there a deadline reaches every read.
"""

from accelrag.transport.addresses import Resolver, resolve_by_system
from accelrag.transport.client import Transport
from accelrag.transport.response import Response

__all__ = ["Resolver", "Response", "Transport", "resolve_by_system"]
