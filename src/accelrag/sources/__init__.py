"""One module for each kind of host that entries point at."""

__all__: list[str] = []
