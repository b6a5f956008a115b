"""A question -> ranked entries.

``reading`` splits the question into what the two sides look for, ``fusing`` makes one score of two rankings,
``naming`` finds the entries that it names, ``signals`` says how sure a search is, ``searching`` puts them together.
"""

from accelrag.retriever.fusing import Fusion
from accelrag.retriever.reading import Reading
from accelrag.retriever.searching import POOL, Retriever, Search
from accelrag.retriever.signals import Signals

__all__ = ["POOL", "Fusion", "Reading", "Retriever", "Search", "Signals"]
