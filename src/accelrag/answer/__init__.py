"""question -> hits -> gate -> draft -> claims -> verification -> Answer."""

from accelrag.answer.gate import THRESHOLD, relevance
from accelrag.answer.loop import Answerer

__all__ = ["THRESHOLD", "Answerer", "relevance"]
