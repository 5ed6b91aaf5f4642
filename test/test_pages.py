"""Code blocks of README, docs/, papers/: run as a reader would, or checked (helpers/pages.py says which)."""

import re

import pytest

from helpers.pages import Reader, blocks
from helpers.paths import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
PAGES += [page for folder in ("docs", "papers") for page in sorted((ROOT / folder).rglob("*.md"))]
PAGES = [page for page in PAGES if page.parent.name != "articles" and blocks(page)]
LAUNCH = ROOT / "src/modular_dynamics_bringup/launch"


def nodes_run(page):
    return any(block.language == "bash" and "modular_dynamics_ros" in block.text for block in blocks(page))


def parameters(pages):
    for page in pages:
        marks = [pytest.mark.ros] if nodes_run(page) else []
        yield pytest.param(page, id=page.relative_to(ROOT).with_suffix("").as_posix(), marks=marks)


@pytest.mark.parametrize("page", parameters(PAGES))
def test_blocks_of_a_page(page, monkeypatch, tmp_path):
    reader = Reader(tmp_path)
    monkeypatch.chdir(tmp_path)
    try:
        for block in blocks(page):
            reader.read(block)
    finally:
        reader.close()


@pytest.mark.parametrize("page", parameters(PAGES))
def test_commands_that_a_page_only_shows_exist(page):
    """Targets of make, launch files and their arguments, nodes."""
    shown = "\n".join(block.text for block in blocks(page) if block.language in ("console", "bash"))
    shown = re.sub(r"\\\n", " ", shown)
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    assert set(re.findall(r"^make ([a-z-]+)", shown, re.M)) <= targets
    arguments = set(re.findall(r"`(\w+)`", (ROOT / "docs/reference/launch.md").read_text("utf-8")))
    for file, rest in re.findall(r"ros2 launch modular_dynamics_bringup (\w\S+)(.*)", shown):
        assert (LAUNCH / file).exists()
        words = re.sub(r'"[^"]*"', "", rest.partition("#")[0])  # xacro's own are in quotes
        assert set(re.findall(r"(?:^| )(\w+):=", words)) <= arguments
