"""urdf/generators: the files in urdf/ are what they write, and --check says so by its exit status."""

import pytest
import yaml

from helpers.paths import ROOT
from helpers.processes import generate

NAMES = ("charmie_torso", "exoskeleton")


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_up_to_date(name):
    result = generate(name, "--check")
    assert (result.returncode, result.stdout) == (0, f"{name}.urdf is up to date\n")


def test_a_file_that_differs_or_is_missing_is_reported_and_written(tmp_path):
    path = tmp_path / "exoskeleton.urdf"
    missing = generate("exoskeleton", "--check", "--out", path)
    assert missing.returncode == 1
    assert missing.stderr == "exoskeleton.urdf is missing: run python -m urdf.generators.exoskeleton\n"
    path.write_text("<robot/>")
    assert "is out of date" in generate("exoskeleton", "--check", "--out", path).stderr
    assert path.read_text() == "<robot/>"
    assert generate("exoskeleton", "--out", path).returncode == 0
    assert path.read_bytes() == (ROOT / "urdf" / path.name).read_bytes()


def test_the_springs_of_the_study_follow_the_formulas():
    rows = yaml.safe_load((ROOT / "config/charmie_springs_s4.yaml").read_text("utf-8"))
    # d = 2.5 mm, D = 20 mm, n = 28; G = 81.5 GPa; the length of 29 touching wires and two hooks of 14 mm
    assert rows["2.5x20x28"]["stiffness"] == round(81.5e9 * 2.5e-3**4 / (8 * 20e-3**3 * 28))
    assert rows["2.5x20x28"]["free_length"] == 0.1005
    assert rows["published"]["stiffness"] == 1380
