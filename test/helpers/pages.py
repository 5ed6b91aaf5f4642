"""Code blocks of a Markdown page, and how they are run as its reader would run them: in order, in one folder.

| block | what is done |
|---|---|
| any, its first line a comment that names a file | written to that file |
| `python` | run; the blocks of a page share their names, as in one session |
| `bash` | run, `ros2` as with the wheels; what it leaves in the background runs until the page ends |
| `text` right after one of these | what it prints, as doctest compares, with `...` |
| `console` | not run: it needs ROS 2's tools, the network, or minutes; what it names must exist |
| `yaml`, `xml`, `json` | parsed |
"""

import contextlib
import doctest
import io
import json
import os
import re
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import yaml

from helpers.paths import ROOT

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
LANGUAGES = ["python", "bash", "text", "console", "yaml", "xml", "json", "c", "cpp", "cmake", "dot"]
FENCE = re.compile(r"^( *)```([^\s{]*|\{[^\n]*)\n(.*?)^\1```$", re.M | re.S)  # directives have arguments
FILE = re.compile(r"^(?:#|//|<!--) ([\w./-]+\.\w+)(?: -->)?\n")
COMMAND_SECONDS = 120.0


@dataclass(frozen=True)
class Block:
    """A fenced block: language, text, line in the page; whether only blank lines precede it."""

    language: str
    text: str
    line: int
    follows: bool

    @property
    def file(self) -> str | None:
        """Name of the file that the block holds, from the comment in its first line."""
        found = FILE.match(self.text)
        return found[1] if found and self.language not in ("bash", "console") else None


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page that are code; directives, in braces, are none."""
    text = page.read_text("utf-8")
    made, end = [], 0
    for found in FENCE.finditer(text):
        indent, language, body = found.groups()
        line, follows = text.count("\n", 0, found.start()) + 1, not text[end : found.start()].strip()
        end = found.end()
        if not language.startswith("{"):
            made.append(Block(language, _unindented(body, indent), line, follows))
    return made


def _unindented(text: str, indent: str) -> str:
    return "".join(line.removeprefix(indent) for line in text.splitlines(keepends=True))


class Reader:
    """Runs the blocks of one page in a folder that looks like the repository's root."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.printed: str | None = None
        self.processes: list[subprocess.Popen[str]] = []
        self.print_options = np.get_printoptions()
        for entry in ROOT.iterdir():
            if entry.name not in ("out", "log", ".git"):
                (folder / entry.name).symlink_to(entry)

    def read(self, block: Block) -> None:
        """Do what a block asks for. Raises AssertionError, with the block's line, where it fails."""
        assert block.language in LANGUAGES, f"line {block.line}: ```{block.language} is none of {LANGUAGES}"
        if block.file is not None:
            path = self.folder / block.file
            assert not path.exists() or block.file.startswith("out/"), f"line {block.line} would overwrite it"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, "utf-8")
        if block.language == "text":
            self._compare(block)
        elif block.language == "python" and block.file is None:
            self._python(block)
        elif block.language == "bash":
            self._bash(block)
        else:
            self.printed = None
            _parse(block)

    def close(self) -> None:
        """End what the page left running; how NumPy prints is as before."""
        np.set_printoptions(**self.print_options)
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    def _python(self, block: Block) -> None:
        printed = io.StringIO()
        code = compile("\n" * block.line + block.text, "the page", "exec")
        with contextlib.redirect_stdout(printed):
            exec(code, self.names)
        self.printed = printed.getvalue()

    def _bash(self, block: Block) -> None:
        text = re.sub(r"\bros2 run modular_dynamics_ros\b", "python -m modular_dynamics_ros", block.text)
        text = re.sub(r"\bros2 (topic|service|param)\b", r"python examples/nodes/ros2.py \1", text)
        out = self.folder / "printed"
        with out.open("w", encoding="utf-8") as file:
            process = subprocess.Popen(
                ["bash", "-euo", "pipefail", "-c", text],
                cwd=self.folder, stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                start_new_session=True, text=True,
            )  # fmt: skip
            self.processes.append(process)
            code = process.wait(COMMAND_SECONDS)
        self.printed = out.read_text("utf-8")
        assert code == 0, f"line {block.line} ended with {code}:\n{block.text}\n{self.printed}"

    def _compare(self, block: Block) -> None:
        printed, self.printed = self.printed, None
        if printed is not None and block.follows:
            same = doctest.OutputChecker().check_output(_settled(block.text), _settled(printed), FLAGS)
            assert same, f"line {block.line} says\n{block.text}\nprinted was\n{printed}"


def _settled(text: str) -> str:
    """Without the sign of zeros, which depends on rounding."""
    return re.sub(r"-(0\.0*)(?!\d)", r"\1", text)


def _parse(block: Block) -> None:
    if block.language == "yaml":
        list(yaml.safe_load_all(block.text))
    elif block.language == "json":
        json.loads(block.text)
    elif block.language == "xml":
        ElementTree.fromstring(f"<page>{re.sub(r'<[?].*?[?]>', '', block.text)}</page>")
