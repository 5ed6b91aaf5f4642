"""Arguments of the launch files: all described; bad ones refused by name before anything starts."""

from pathlib import Path

import pytest

from helpers.nodes.launch_commands import description, started
from helpers.nodes.launch_probe import CHARMIE, SHARE
from helpers.paths import ROOT
from modular_dynamics.exceptions import ModularDynamicsError, UrdfError
from modular_dynamics_ros.exceptions import RobotError

LAUNCH_FILES = sorted((SHARE / "launch").glob("*.launch.py"))


@pytest.mark.parametrize("path", LAUNCH_FILES, ids=lambda path: path.name)
def test_every_argument_is_described(path: Path) -> None:
    """`ros2 launch ... --show-args` says what each argument is."""
    arguments = description(path.name).get_launch_arguments()
    assert arguments
    assert [a.name for a in arguments if a.description in ("", "no description given")] == []
    page = (ROOT / "docs/reference/launch.md").read_text("utf-8")
    assert [a.name for a in arguments if f"`{a.name}`" not in page] == []


def test_launch_files_are_installed() -> None:
    """The tests above see the files that a user starts."""
    names = ["charmie_demo", "charmie_torso", "dynamics", "modular_assembly", "subsystems"]
    assert [path.name for path in LAUNCH_FILES] == [f"{name}.launch.py" for name in names]


BAD = [
    ({"xacro_arguments": "name=1"}, RobotError, "xacro_arguments has 'name=1'; name:=value is needed"),
    ({"xacro_arguments": "name:=1"}, UrdfError, "xacro arguments are given .name., but .* has no xacro"),
    ({"xacro_arguments": "'a"}, ValueError, 'launch argument xacro_arguments is "\'a": No closing quotation'),
    ({"urdf": "", "xacro_arguments": "a:=1"}, ValueError, "xacro_arguments needs urdf: the path of a xacro"),
    ({"urdf": "/absent.urdf"}, FileNotFoundError, "launch argument urdf: no file '/absent.urdf'"),
    ({"urdf": "/"}, FileNotFoundError, "launch argument urdf: no file '/'"),
    ({"params_file": "/absent.yaml"}, FileNotFoundError, "params_file: no file '/absent.yaml'"),
    ({"partition_file": "/absent.yaml"}, FileNotFoundError, "partition_file: no file '/absent.yaml'"),
    ({"rviz_config": "/absent.rviz"}, FileNotFoundError, "rviz_config: no file '/absent.rviz'"),
    ({"respawn": "maybe"}, RuntimeError, '"respawn" provided value "maybe" is not valid'),
    ({"use_sim_time": "maybe"}, RuntimeError, '"use_sim_time" provided value "maybe" is not valid'),
    ({"autostart": "maybe"}, RuntimeError, '"autostart" provided value "maybe" is not valid'),
    ({"rviz": "maybe"}, RuntimeError, '"rviz" provided value "maybe" is not valid'),
    ({"log_level": "loud"}, RuntimeError, '"log_level" provided value "loud" is not valid'),
]


@pytest.mark.parametrize(("arguments", "error", "words"), BAD, ids=[str(bad[0]) for bad in BAD])
def test_bad_argument_is_refused(
    arguments: dict[str, str], error: type[Exception], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bad argument ends the launch with an error that names it, before there is a node to start."""
    with pytest.raises(error, match=words):
        started(monkeypatch, "dynamics.launch.py", **({"urdf": str(CHARMIE)} | arguments))


@pytest.mark.parametrize("launch_file", ["dynamics.launch.py", "subsystems.launch.py"])
def test_faults_of_the_robot_end_the_launch(
    launch_file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "partition.yaml"
    path.write_text("subsystems: []\n")
    with pytest.raises(ModularDynamicsError, match=r"partition\.yaml, line 1: version 'None'"):
        started(monkeypatch, launch_file, urdf=str(CHARMIE), partition_file=str(path))


def test_only_starts_a_subsystem_once_and_names_bad_words(monkeypatch: pytest.MonkeyPatch) -> None:
    processes = started(monkeypatch, "subsystems.launch.py", only="torso torso")
    assert "subsystem_node" in processes  # one: `started` refuses two of one executable
    with pytest.raises(ValueError, match='launch argument only is "\'torso": No closing quotation'):
        started(monkeypatch, "subsystems.launch.py", only="'torso")
    with pytest.raises(ValueError, match="launch argument 'only': no subsystem 'leg'; there are"):
        started(monkeypatch, "subsystems.launch.py", only="leg")


@pytest.mark.parametrize("name", ["rules_file", "motion_file", "params_file"])
def test_files_of_the_other_launch_files_must_exist(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match=f"launch argument {name}: no file '/absent'"):
        started(monkeypatch, "charmie_torso.launch.py", **{name: "/absent"})


def test_a_mistake_in_a_xacro_file_is_named_with_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Xacro's own words, and where: in a folder with a blank."""
    folder = tmp_path / "my robot"
    folder.mkdir()
    path = folder / "arm.urdf.xacro"
    path.write_text(
        '<robot name="a" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="${side}"/></robot>'
    )
    with pytest.raises(UrdfError, match="side") as raised:
        started(monkeypatch, "dynamics.launch.py", urdf=str(path))
    assert str(path) in str(raised.value)
