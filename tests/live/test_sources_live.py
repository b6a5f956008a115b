"""The sources against the real internet, by hand: ``pytest -m live tests/live``."""

import pytest

from accelrag import ingest
from accelrag.corpus import Corpus
from accelrag.settings import Settings
from accelrag.transport import Transport
from fake_entries import entries

pytestmark = pytest.mark.live


@pytest.mark.parametrize(
    ("url", "coverage", "said"),
    [
        ("https://arxiv.org/abs/2309.06180", "abstract", "PagedAttention"),
        ("https://github.com/vllm-project/vllm", "readme", "vLLM"),
        ("https://doi.org/10.1145/3600006.3613165", "abstract", "memory"),
        ("https://www.usenix.org/conference/osdi22/presentation/yu", "abstract", "iteration"),
        ("https://lilianweng.github.io/posts/2021-07-11-diffusion-models/", "page", "diffusion"),
        ("https://www.akkadia.org/drepper/cpumemory.pdf", "full", "memory"),
    ],
)
def test_a_real_link_gives_its_text(tmp_path, url, coverage, said):
    settings = Settings()
    with Transport(settings) as transport, Corpus.open(tmp_path) as corpus:
        summary = ingest.fetch(entries(url), corpus, settings, transport=transport)
        assert summary.fetched == 1, summary.to_dict()
        (made,) = corpus.documents()
    assert made.coverage == coverage
    assert said.lower() in made.text.lower()
