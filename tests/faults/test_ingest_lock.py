"""Two runs at once: one writes, the other waits or leaves with a clear line."""

import os
import subprocess
import sys

import pytest

from accelrag.errors import Busy, StorageError
from accelrag.storage import hold

HOLDER = """
import sys, pathlib
from accelrag.storage import hold
with hold(pathlib.Path(sys.argv[1]), doing="accelrag update"):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def holder(tmp_path):
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "held\n"
    yield child
    child.kill()
    child.communicate()


def test_a_second_writer_leaves_and_names_the_first(tmp_path, holder):
    with pytest.raises(Busy) as busy, hold(tmp_path):
        pass
    assert f"process {holder.pid}, accelrag update" in str(busy.value)
    assert busy.value.hint


def test_a_second_writer_may_wait(tmp_path, holder):
    holder.stdin.write("go\n")
    holder.stdin.flush()
    with hold(tmp_path, wait=30):
        assert holder.wait() == 0


def test_the_lock_of_a_killed_writer_is_free(tmp_path, holder):
    holder.kill()
    holder.wait()
    with hold(tmp_path):
        pass
    assert not (tmp_path / ".lock.json").exists()


def test_a_writer_may_hold_its_own_lock_twice(tmp_path):
    with hold(tmp_path):
        with hold(tmp_path):
            assert (tmp_path / ".lock.json").exists()
        assert (tmp_path / ".lock.json").exists()


@pytest.mark.skipif(os.name == "nt", reason="a file in place of a folder is told in other words there")
def test_a_folder_that_cannot_be_made_is_said_so(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError), hold(tmp_path / "file" / "corpus"):
        pass
