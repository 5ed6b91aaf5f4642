"""The commands behind the targets of the Makefile: each runs whole, and the repository stays as it is."""

import json
import os
import subprocess

import pytest

from helpers.nodes.waiting import LIMIT
from helpers.processes import run_python

pytestmark = pytest.mark.ros


def repository_status(root):
    """Changed and new files that git sees; what is ignored is named by folders."""
    command = ["git", "status", "--porcelain", "--ignored=matching", "--untracked-files=all"]
    lines = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.splitlines()
    return [line for line in lines if not line.endswith((".pyc", "__pycache__/"))]


@pytest.fixture
def run(root, tmp_path):
    """Runs a command in a folder, the repository by default; returns what it printed."""

    def command(*words, folder=root):
        environment = os.environ | {"COLUMNS": "160", "PYTHONDONTWRITEBYTECODE": "1"}
        done = run_python(*words, cwd=folder, env=environment, timeout=LIMIT)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    before = repository_status(root)
    yield command
    assert repository_status(root) == before


def test_reactions_of_the_torso(run):
    text = run("-m", "papers.charmie_torso.reactions", "--steps")
    assert "reactions at 1.5 s" in text
    assert "12 are free" in text
    assert "outside the null space of equilibrium" in text


@pytest.mark.nightly
def test_reactions_on_body_3_of_the_torso(run, tmp_path):
    text = run("-m", "papers.charmie_torso.figure_6", "--instants", 2, "--out", tmp_path / "new/figure.png")
    residual = "residual of a body over 4 instants"
    for words in ("Fx", "Mz", "act4", "act5", "24 bodies", residual, "new/figure.png"):
        assert words in text
    assert (tmp_path / "new/figure.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.nightly
def test_make_paper_goncalves(run, tmp_path):
    """Each number is within its bound, or the command fails; the time of all designs is not measured."""
    text = run("-m", "papers.charmie_torso", "--out", tmp_path / "new")
    for words in ("Table 1", "(25) μy of j4", "(f) Mz", "double pendulum", "extrapolated from 6,084 designs"):
        assert words in text
    pictures = "figure_2.png", "figures_3_4_5.png", "figure_6.png", "section_5.png"
    assert {(tmp_path / "new" / name).read_bytes()[:4] for name in pictures} == {b"\x89PNG"}


@pytest.mark.nightly
def test_make_paper_meister(run, tmp_path):
    text = run("-m", "papers.modular_robots", "--duration", 0.2, "--out", tmp_path / "new/figures")
    for words in ("Table III: IDTL", "Equations 36 to 39", "free-flyer", "O(n)", "new/figures/figure_8.png"):
        assert words in text
    pictures = sorted((tmp_path / "new/figures").glob("*.png"))
    names = [*(f"figure_{number}.png" for number in range(4, 9)), "gaits.png"]
    assert [picture.name for picture in pictures] == names
    assert {picture.read_bytes()[:4] for picture in pictures} == {b"\x89PNG"}
    manifest = json.loads((tmp_path / "new/figures/manifest.json").read_text())
    assert sum(cell["passed"] is True for cell in manifest["cells"]) > 100


def test_paper_meister_of_a_robot_of_ones_own(run, tmp_path):
    file = tmp_path / "crane.yaml"
    file.write_text("modules: {cart: cart, load: pendulum_link}\ndocks: [{faces: {cart: 1, load: 1}}]\n")
    modules = [
        word for name in ("cart", "pendulum_link") for word in ("--module", f"config/modular/{name}.yaml")
    ]
    words = "--robot", file, *modules, "--floating-base", "--out", tmp_path
    text = run("-m", "papers.modular_robots", *words)
    assert "6 of 6 numbers within their bounds" in text
    assert "M[1,7] = cos(q1)" in (tmp_path / "equations.txt").read_text()
    assert {path.name for path in tmp_path.glob("*.png")} == {"assembly.png", "incidence_matrix.png"}


def test_table_1_of_a_smaller_robot(run, root):
    text = run("-m", "papers.closed_loop_elimination.table_1", root / "urdf/four_bar.urdf")
    for title in ("gravitational load g1", "mass matrix M1", "inverse dynamics tau1"):
        assert title in text
    assert "paper  │" not in text  # whose robot it is not


@pytest.mark.nightly
def test_make_paper_schappler(run, tmp_path):
    text = run("-m", "papers.closed_loop_elimination", "--out", tmp_path / "new")
    for words in ("TE < DE < IC", "c1: between two of the methods", "base parameters of the mechanism"):
        assert words in text
    names = ["base_parameters.txt", "figure_3.png", "manifest.json"]
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == names


@pytest.mark.slow
def test_make_bench_measures_a_part_from_any_folder(run, root, tmp_path):
    folder = tmp_path / "another folder"
    folder.mkdir()
    words = "--only", "changes", "--quick", "--out", "figures of today"
    text = run(root / "benchmark/run.py", *words, folder=folder)
    assert "with_payload" in text
    assert sorted(path.name for path in (folder / "figures of today").iterdir()) == ["changes.json"]
