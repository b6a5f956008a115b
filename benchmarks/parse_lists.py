"""How long lists take to parse, beside markdown-it alone on the same text.

    python benchmarks/parse_lists.py corpus/awesome-ai-accelerators.md [MORE.md ...]

Prints one line a list: size, entries, seconds, seconds of the bare parser, their ratio. The last line is a list of
400 kB that is made here, and its double: a ratio of their times well above 2 means that parsing is not linear.
"""

import sys
import time
from pathlib import Path

from markdown_it import MarkdownIt

from accelrag.errors import ListError
from accelrag.listing import decode_list


def best_of(times, call):
    found = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return min(found)


def measure(name, data):
    try:
        entries = len(decode_list(data, name).entries)
    except ListError as error:
        print(f"{name:48} {error}")
        return 0.0
    text = data.decode("utf-8-sig")
    bare = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    ours = best_of(3, lambda: decode_list(data, name))
    theirs = best_of(3, lambda: bare.parse(text))
    size = f"{len(data) // 1000:5d} kB {entries:6d} entries"
    print(f"{name:48} {size} {ours:7.3f} s {theirs:7.3f} s  x{ours / theirs:.2f}")
    return ours


def made(size):
    lines = ["# Made\n"]
    total = 0
    while total < size:
        n = len(lines)
        line = (
            f"- [Project {n}](https://github.com/owner{n}/project) - Does the thing that number {n} asks it to do.\n"
        )
        lines.append(f"\n## Section {n}\n\n{line}" if n % 20 == 0 else line)
        total += len(lines[-1])
    return "".join(lines).encode()


def main():
    for path in map(Path, sys.argv[1:]):
        measure(path.name, path.read_bytes())
    one = measure("made, 400 kB", made(400_000))
    two = measure("made, 800 kB", made(800_000))
    print(f"twice the size takes {two / one:.2f} times as long")


if __name__ == "__main__":
    main()
