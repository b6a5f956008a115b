"""Each file of a bundle flipped, cut or taken away: refused with the command that fixes it, and fixed by it."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from accelrag.embedding import VectorCache, open_encoder
from accelrag.errors import AccelragError, IndexDamaged, IndexMismatch, IndexMissing, ModelError
from accelrag.index import Index, Manifest, Store
from accelrag.stores.dense import DenseIndex
from accelrag.stores.lexical import LexicalIndex
from accelrag.stores.protocol import LexicalQuery
from small_corpus import build_small, every_file
from small_list import LIST


@pytest.fixture(scope="module")
def pristine(tmp_path_factory, tiny_encoder) -> Path:
    """An index folder that is copied, never changed."""
    folder = tmp_path_factory.mktemp("pristine") / "index"
    build_small(folder, tiny_encoder, LIST)
    return folder


@pytest.fixture
def index_dir(pristine, tmp_path) -> Path:
    return Path(shutil.copytree(pristine, tmp_path / "index"))


def parts(index_dir: Path) -> list[str]:
    (generation,) = index_dir.glob("gen-*")
    return [p.relative_to(generation).as_posix() for p in every_file(generation)]


def flip(path: Path, at: int) -> None:
    raw = bytearray(path.read_bytes())
    raw[at % len(raw)] ^= 0x40
    path.write_bytes(raw)


def damage(path: Path, how: str) -> None:
    size = path.stat().st_size
    if how == "missing":
        path.unlink()
    elif how == "a folder":
        path.unlink()
        path.mkdir()
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "cut":
        path.write_bytes(path.read_bytes()[: size // 2])
    elif how == "longer":
        path.write_bytes(path.read_bytes() + b"\0")
    else:
        flip(path, {"first byte": 0, "middle byte": size // 2, "last byte": size - 1}[how])


@pytest.mark.parametrize(
    "how", ["missing", "a folder", "empty", "cut", "longer", "first byte", "middle byte", "last byte"]
)
def test_damage_to_any_file_is_refused_and_mended_by_the_command_named(index_dir, pristine, tiny_encoder, how):
    (generation,) = index_dir.glob("gen-*")
    (whole,) = pristine.glob("gen-*")
    for name in parts(pristine):
        path = generation / name
        if path.stat().st_size == 0 and how not in {"missing", "a folder", "longer"}:
            continue
        damage(path, how)
        with pytest.raises((IndexDamaged, IndexMismatch)) as error:
            Index.open(index_dir, model=str(tiny_encoder))
        assert "accelrag index" in error.value.hint, name
        assert "\n" not in str(error.value)
        if path.is_dir():
            path.rmdir()
        shutil.copy2(whole / name, path)

    Index.open(index_dir, model=str(tiny_encoder)).check()
    for name in parts(pristine):
        if (generation / name).stat().st_size:
            damage(generation / name, how)
    assert not build_small(index_dir, tiny_encoder, LIST, rebuild=True).unchanged
    Index.open(index_dir, model=str(tiny_encoder)).check()


def test_a_flip_anywhere_in_the_manifest_is_refused(index_dir):
    (generation,) = index_dir.glob("gen-*")
    path = generation / "manifest.json"
    whole = path.read_bytes()
    for at in range(0, len(whole), 7):
        raw = bytearray(whole)
        raw[at] ^= 0x01
        path.write_bytes(raw)
        with pytest.raises((IndexDamaged, IndexMismatch)):
            Manifest.read(generation)


@pytest.mark.parametrize("text", ["", "gen-000009-00000000", "../../etc", "gen-000001", "\x00", "x" * 10_000])
def test_a_current_that_names_no_generation_is_refused(index_dir, text, tiny_encoder):
    (index_dir / "CURRENT").write_text(text, encoding="utf-8")
    with pytest.raises(IndexDamaged) as error:
        Index.open(index_dir, model=str(tiny_encoder))
    assert "accelrag index --rebuild" in error.value.hint
    assert len(str(error.value)) < 300


def test_a_current_that_is_no_text_is_refused(index_dir, tiny_encoder):
    (index_dir / "CURRENT").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(IndexDamaged):
        Index.open(index_dir, model=str(tiny_encoder))
    assert not build_small(index_dir, tiny_encoder, LIST).unchanged
    Index.open(index_dir, model=str(tiny_encoder)).check()


def test_an_index_whose_generations_are_gone_is_damaged_and_an_empty_folder_is_missing(index_dir, tmp_path):
    (generation,) = index_dir.glob("gen-*")
    shutil.rmtree(generation)
    with pytest.raises(IndexDamaged):
        Index.open(index_dir)
    with pytest.raises(IndexMissing):
        Index.open(tmp_path / "none")


def test_a_bundle_copied_elsewhere_answers_there(pristine, tmp_path, tiny_encoder):
    shutil.copytree(pristine, tmp_path / "copy", copy_function=shutil.copy)  # new modification times
    Index.open(tmp_path / "copy", model=str(tiny_encoder)).check()


@pytest.mark.parametrize("how", ["empty", "cut", "longer", "first byte", "last byte", "a hole"])
def test_a_copy_with_a_damaged_file_is_refused_however_large_the_file_is(pristine, tmp_path, tiny_encoder, how):
    from accelrag.index.manifest import mark_files

    copy = Path(shutil.copytree(pristine, tmp_path / "copy", copy_function=shutil.copy))
    (generation,) = copy.glob("gen-*")
    large = generation / "large.bin"
    large.write_bytes(np.random.default_rng(3).bytes(6_000_000))
    manifest = replace(Manifest.read(generation), files=mark_files(generation))
    manifest.write(generation)
    for path in every_file(generation):
        os.utime(path, (1, 1))  # every file has a time of its own making, as after cp -r
    Manifest.read(generation).check(generation)
    if how == "a hole":
        raw = bytearray(large.read_bytes())
        raw[2_000_000:3_000_000] = bytes(1_000_000)
        large.write_bytes(raw)
    else:
        damage(large, how)
    os.utime(large, (1, 1))
    with pytest.raises(IndexDamaged):
        Manifest.read(generation).check(generation)


def test_a_copy_is_hashed_whole_by_a_thorough_check(pristine, tmp_path, tiny_encoder):
    from accelrag.index.manifest import mark_files

    copy = Path(shutil.copytree(pristine, tmp_path / "copy", copy_function=shutil.copy))
    (generation,) = copy.glob("gen-*")
    large = generation / "large.bin"
    large.write_bytes(np.random.default_rng(3).bytes(6_000_000))
    replace(Manifest.read(generation), files=mark_files(generation)).write(generation)
    flip(large, 100_000)
    for path in every_file(generation):
        os.utime(path, (1, 1))
    Manifest.read(generation).check(generation)
    with pytest.raises(IndexDamaged):
        Manifest.read(generation).check(generation, thorough=True)


def test_a_half_copied_bundle_is_refused(pristine, tmp_path, tiny_encoder):
    (generation,) = pristine.glob("gen-*")
    names = parts(pristine)
    for count in range(len(names)):
        half = tmp_path / f"half-{count}"
        half.mkdir()
        shutil.copy(pristine / "CURRENT", half / "CURRENT")
        for name in names[:count]:
            (half / generation.name / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(generation / name, half / generation.name / name)
        with pytest.raises(IndexDamaged):
            Index.open(half, model=str(tiny_encoder))


def test_a_flip_that_keeps_size_and_time_is_found_by_a_thorough_check(index_dir, tiny_encoder):
    (generation,) = index_dir.glob("gen-*")
    path = generation / "vectors/note.faiss"
    times = path.stat()
    flip(path, 900)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    index = Index.open(index_dir, model=str(tiny_encoder))
    with pytest.raises(IndexDamaged):
        index.check()


# Behind the manifest: each library's errors come out as ours, whatever byte is wrong.


def tolerates(act) -> bool:
    """Whether the act went through or ended as one of our errors with a hint."""
    try:
        act()
    except AccelragError as error:
        return bool(error.hint) and "\n" not in str(error)
    return True


def offsets(path: Path, count: int) -> list[int]:
    size = path.stat().st_size
    return sorted({*range(min(size, count // 2)), *(size * i // count for i in range(count))})


def test_faiss_errors_come_out_as_ours(index_dir):
    (generation,) = index_dir.glob("gen-*")
    path = generation / "vectors/note.faiss"
    whole = path.read_bytes()
    query = np.zeros(32, dtype=np.float32)
    for at in offsets(path, 60):
        raw = bytearray(whole)
        raw[at] ^= 0x40
        path.write_bytes(raw)
        assert tolerates(lambda: DenseIndex(path.parent)), at
    path.write_bytes(whole[:100])
    with pytest.raises(IndexDamaged):
        DenseIndex(path.parent)
    path.unlink()
    with pytest.raises(IndexDamaged):
        DenseIndex(path.parent).search(query, 3)


def test_sqlite_errors_come_out_as_ours(index_dir):
    (generation,) = index_dir.glob("gen-*")
    path = generation / "passages.db"
    whole = path.read_bytes()

    def read() -> None:
        store = Store(path)
        for entry, _ in store.entries():
            store.passages_of(entry.id)
            store.note_passage(entry.id)
            store.document(f"text:{entry.id}")
        store.near_terms("attention", 2)
        store.frequency("cache")
        store.counts()
        store.close()

    for at in offsets(path, 200):
        raw = bytearray(whole)
        raw[at] ^= 0x40
        path.write_bytes(raw)
        assert tolerates(read), at
    for bad in (b"", b"not a database at all", whole[:5000]):
        path.write_bytes(bad)
        with pytest.raises(IndexDamaged):
            read()


def replaced(path, data):
    """Give a file other bytes as a copy would: one that is mapped and cut in place kills its reader (SIGBUS)."""
    path.unlink(missing_ok=True)
    path.write_bytes(data)


def test_tantivy_errors_come_out_as_ours(index_dir, capfd):
    (generation,) = index_dir.glob("gen-*")
    folder = generation / "lexical"

    def search() -> None:
        index = LexicalIndex(folder)
        index.search(LexicalQuery(stems={"cach": 1.0, "tensor": 1.0}, grams=("内存",)), 10)
        index.known("cach")

    for path in every_file(folder):
        whole = path.read_bytes()
        for at in offsets(path, 16) if whole else []:
            raw = bytearray(whole)
            raw[at] ^= 0x40
            replaced(path, raw)
            assert tolerates(search), (path.name, at)
        replaced(path, whole[: len(whole) // 2])
        assert tolerates(search), path.name
        path.unlink()
        assert tolerates(search), path.name
        replaced(path, whole)
    shutil.rmtree(folder)
    with pytest.raises(IndexDamaged):
        search()


def test_onnxruntime_and_tokenizers_errors_come_out_as_ours(tmp_path, tiny_encoder):
    for name in ("model.onnx", "tokenizer.json", "encoder.json"):
        whole = (tiny_encoder / name).read_bytes()
        for bad in (b"", b"\x00\x01", whole[: len(whole) // 2], b"{}", b"[]", b'{"runtime": "onnx"}'):
            folder = tmp_path / "encoder"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(tiny_encoder, folder)
            (folder / name).write_bytes(bad)
            with pytest.raises(ModelError) as error:
                open_encoder(folder).encode_queries(["a question"])
            assert error.value.hint
            assert "\n" not in str(error.value)


def test_a_tokenizer_of_another_model_is_one_line(tmp_path, tiny_encoder):
    folder = Path(shutil.copytree(tiny_encoder, tmp_path / "encoder"))
    text = (folder / "tokenizer.json").read_text(encoding="utf-8")
    (folder / "tokenizer.json").write_text(text.replace('"ca": ', '"ca": 99'), encoding="utf-8")
    with pytest.raises(ModelError) as error:
        open_encoder(folder).encode_queries(["cache"])
    assert error.value.hint


# The cache of vectors


def encoded(folder: Path, tiny_encoder: Path, texts: list[str]) -> tuple[np.ndarray, int]:
    encoder = open_encoder(tiny_encoder)
    cache = VectorCache(folder, encoder.fingerprint)
    try:
        return cache.encode(encoder, texts)
    finally:
        cache.close()


TEXTS = [f"text number {i} about caches" for i in range(60)]


def test_damage_anywhere_in_the_vector_cache_never_gives_a_wrong_vector(tmp_path, tiny_encoder):
    wanted, _ = encoded(tmp_path, tiny_encoder, TEXTS)
    (path,) = tmp_path.glob("vectors-*.db")
    whole = path.read_bytes()
    for at in offsets(path, 80):
        raw = bytearray(whole)
        raw[at] ^= 0x40
        path.write_bytes(raw)
        got, _ = encoded(tmp_path, tiny_encoder, TEXTS)
        assert got.tobytes() == wanted.tobytes(), at
    for bad in (b"", b"junk" * 1000, whole[:4096], whole[:9000]):
        path.write_bytes(bad)
        got, count = encoded(tmp_path, tiny_encoder, TEXTS)
        assert got.tobytes() == wanted.tobytes()
        assert count > 0


def test_equal_texts_are_encoded_once_and_order_is_kept(tmp_path, tiny_encoder):
    vectors, count = encoded(tmp_path, tiny_encoder, ["b", "a", "b", "a", "c"])
    assert count == 3
    assert vectors[0].tobytes() == vectors[2].tobytes()
    assert vectors[1].tobytes() == vectors[3].tobytes()
    again, count = encoded(tmp_path, tiny_encoder, ["a", "c"])
    assert count == 0
    assert again.tobytes() == vectors[[1, 4]].tobytes()


def test_vectors_of_texts_that_are_gone_can_be_forgotten(tmp_path, tiny_encoder):
    from accelrag.embedding.cache import text_key

    encoded(tmp_path, tiny_encoder, ["a", "b", "c"])
    encoder = open_encoder(tiny_encoder)
    cache = VectorCache(tmp_path, encoder.fingerprint)
    assert cache.keep_only([text_key("b")]) == 2
    cache.close()
    assert encoded(tmp_path, tiny_encoder, ["a", "b", "c"])[1] == 2
