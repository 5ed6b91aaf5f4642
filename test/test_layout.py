"""Where tests stand, and that git tracks text and pictures only."""

import subprocess
from pathlib import Path

import pytest

from helpers.paths import ROOT

# folder of tests -> folder of the sources that they mirror
MIRRORED = {
    "src/modular_dynamics/test": "src/modular_dynamics/modular_dynamics",
    "src/modular_dynamics_ros/test": "src/modular_dynamics_ros/modular_dynamics_ros",
    "test/benchmark": "benchmark",
    "test/demo": "examples/demo",
    "test/papers": "papers",
}
WHOLE_ROBOTS = "src/modular_dynamics/test/loops/robots"  # named after robots, not after sources
PICTURES = (".png", ".jpg", ".gif")


def python_files(folder):
    return sorted(path for path in (ROOT / folder).rglob("*.py") if "__pycache__" not in path.parts)


@pytest.mark.parametrize("tests", MIRRORED)
def test_a_test_file_has_the_folder_and_the_name_of_its_source_and_perhaps_a_subject(tests):
    strays = []
    for path in python_files(tests):
        if not path.name.startswith("test_") or path.is_relative_to(ROOT / WHOLE_ROBOTS):
            continue
        folder = ROOT / MIRRORED[tests] / path.relative_to(ROOT / tests).parent
        sources = {source.stem.strip("_") for source in folder.glob("*.py")}
        words = path.stem.removeprefix("test_").split("_")
        counts = range(len(words), 0, -1)
        own = next((count for count in counts if "_".join(words[:count]) in sources), 0)
        # a subject that is another source's name: then the file holds the tests of both
        subject = f"_{'_'.join(words[own:])}_"
        if not own or any(f"_{source}_" in subject for source in sources):
            strays.append(str(path.relative_to(ROOT)))
    assert strays == []


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")
def test_no_binary_file_but_pictures_is_tracked_by_git():
    """A file counts as binary where git does, by a zero byte."""
    command = ["git", "ls-files", "-z", "--cached"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    paths = [ROOT / name for name in listed.split("\0") if name]
    present = [path for path in paths if path.is_file()]  # a file deleted just now is still listed
    binary = [path for path in present if b"\0" in path.read_bytes()]
    assert Path(__file__).resolve() in present  # the list is this repository's
    assert [str(path.relative_to(ROOT)) for path in binary if path.suffix not in PICTURES] == []
