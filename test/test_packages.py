"""The four ROS packages: package.xml is complete, each has its licence, none installs only half of itself."""

import ast
import shutil
import sys
from xml.etree import ElementTree

import pytest

from helpers.paths import ROOT
from helpers.processes import run_command

PACKAGES = sorted(path.parent for path in (ROOT / "src").glob("*/package.xml"))
KEYS = {  # of rosdep, where they are not called as what is imported
    "pinocchio": "pinocchio",
    **{name: f"python3-{name}" for name in ("lxml", "matplotlib", "networkx", "numpy", "rich")},
    **{name: f"python3-{name}" for name in ("scipy", "transforms3d", "yaml")},
}
# Extras that no node needs; errors say what to install. zstandard comes with rosbags.
OPTIONAL = {"casadi", "distributed", "mujoco", "pyarrow", "rosbags", "sympy", "zstandard"}


def imported(package):
    """Top-level names of what a package's Python files import, its own and Python's left out."""
    folder = package / ("launch" if package.name.endswith("_bringup") else package.name)
    names = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names.add(node.module)
    return {name.partition(".")[0] for name in names} - sys.stdlib_module_names - {package.name}


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_package_xml_names_all_that_is_imported(package):
    tree = ElementTree.parse(package / "package.xml")
    named = {one.text for tag in ("depend", "exec_depend") for one in tree.iter(tag)}
    needed = {KEYS.get(name, name) for name in imported(package) - OPTIONAL}
    assert needed - named == set()


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_package_xml_can_be_read_and_has_all_fields(package):
    catkin_pkg = pytest.importorskip("catkin_pkg.package", reason="package.xml is read by catkin_pkg")
    warnings = []
    read = catkin_pkg.parse_package(str(package / "package.xml"), warnings=warnings)
    read.validate(warnings=warnings)
    assert warnings == []
    assert [one.name for one in read.maintainers] == ["modular_dynamics maintainers"]
    assert len(read.description) > 20
    (licence,) = read.licenses
    assert (licence, licence.file) == ("Apache-2.0", "LICENSE")


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_each_package_has_the_licence_as_a_file(package):
    """A link would lead nowhere where the package alone is copied."""
    licence = package / "LICENSE"
    assert not licence.is_symlink()
    assert licence.read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_the_bringup_package_builds_away_from_the_repository(tmp_path):
    if shutil.which("cmake") is None:
        pytest.skip("the build of modular_dynamics_bringup is tested where cmake is installed")
    package, build, prefix = (tmp_path / name for name in ("package", "build", "prefix"))
    shutil.copytree(ROOT / "src/modular_dynamics_bringup", package)
    configured = run_command("cmake", "-S", package, "-B", build, f"-DCMAKE_INSTALL_PREFIX={prefix}")
    if 'Could not find a package configuration file provided by "ament_cmake"' in configured.stderr:
        pytest.skip("the build of modular_dynamics_bringup is tested where ament_cmake is installed")
    assert configured.returncode == 0, configured.stderr
    assert run_command("cmake", "--install", build).returncode == 0
    share = prefix / "share/modular_dynamics_bringup"
    for file in ("launch/dynamics.launch.py", "config/dynamics.yaml", "urdf/charmie.urdf"):
        assert (share / file).read_bytes() == (ROOT / file).read_bytes()


@pytest.mark.parametrize("name", ["launch", "config", "urdf"])
def test_folders_at_the_top_lead_into_the_bringup_package(name):
    assert (ROOT / name).samefile(ROOT / "src/modular_dynamics_bringup" / name)
