"""Fixtures that several suites share."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from small_list import LIST
from tiny_encoder import write_tiny_encoder

# No test asserts a time: a busy machine must not fail one.
settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


@pytest.fixture(scope="session")
def tiny_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the small encoder, to be given as ``--model``."""
    return write_tiny_encoder(tmp_path_factory.mktemp("tiny-encoder"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose corpus holds the test list and nothing else."""
    folder = tmp_path / "home"
    (folder / "corpus").mkdir(parents=True)
    (folder / "corpus" / "test-chips.md").write_text(LIST, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def shared() -> Path:
    """Measurement material that is not part of the project; tests that need it are marked ``shared``."""
    folder = os.environ.get("ACCELRAG_SHARED", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("ACCELRAG_SHARED names no folder of measurement material")
    return Path(folder)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture
def copied_home(home: Path, tmp_path: Path) -> Path:
    """A second home like the first."""
    other = tmp_path / "other"
    shutil.copytree(home, other)
    return other


@pytest.fixture(scope="session")
def encoder_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder in which encoders are exported once for all tests that need the real one."""
    return tmp_path_factory.mktemp("encoder-cache")
