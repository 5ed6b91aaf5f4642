"""The command as users start it: without ROS, by its registration, its report, flat memory."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
import yaml

from helpers.paths import ROOT
from helpers.processes import run_command, run_python
from helpers.recorded_bags import START, moving_states, text, write_bag
from modular_dynamics.shell.main import main
from modular_dynamics_ros.bag.command import parameters_of
from modular_dynamics_ros.exceptions import ParameterError
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

#: The command, though it is not registered.
COMMAND = """
import sys
from modular_dynamics.shell import main as commands
from modular_dynamics_ros.bag.command import BAG
commands.OWN = (*commands.OWN, BAG)
code = commands.main(sys.argv[1:])
"""
#: ROS as it is where none is installed.
WITHOUT_ROS = """
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] in {'rclpy', 'rcl_interfaces', 'builtin_interfaces', 'sensor_msgs', 'std_msgs',
            'nav_msgs', 'geometry_msgs', 'trajectory_msgs', 'diagnostic_msgs', 'lifecycle_msgs', 'tf2_msgs',
            'tf_transformations', 'visualization_msgs', 'modular_dynamics_interfaces', 'launch', 'launch_ros',
            'ament_index_python'}:
            raise ModuleNotFoundError(f'no {name}: there is no ROS')
sys.meta_path.insert(0, Finder())
"""


@pytest.fixture
def recording(tmp_path, names, four_link):
    states, _ = moving_states(names, 50, efforts=lambda k: [1.0, 2.0, 3.0, 4.0])
    with open(four_link, encoding="utf-8") as file:
        return write_bag(
            tmp_path / "recording", [("/robot_description", START - 1, text(file.read())), *states]
        )


def test_without_ros(recording, tmp_path, four_link):
    options = ("--csv", tmp_path / "t.csv", "-p", "acceleration_source:=filtered", "--quiet")
    done = run_python("-c", f"{WITHOUT_ROS}{COMMAND}sys.exit(code)", "bag", recording, *options)
    assert (done.returncode, done.stderr) == (0, "")
    assert "50 joint states, 45 processed" in done.stdout
    assert len((tmp_path / "t.csv").read_text().splitlines()) == 46


def test_it_is_registered_by_the_packages_own_metadata(recording, tmp_path):
    command = (sys.executable, "setup.py", "-q", "egg_info", "--egg-base", tmp_path)
    done = run_command(*command, cwd=ROOT / "src/modular_dynamics_ros")
    assert done.returncode == 0, done.stderr
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"}
    done = run_python("-m", "modular_dynamics", "bag", recording, "--json", env=environment)
    assert (done.returncode, json.loads(done.stdout)["processed"]) == (0, 50), done.stderr


def test_the_report_as_text(recording, capsys):
    assert main(["bag", str(recording)]) == 0
    out = capsys.readouterr().out
    assert "four_link: 50 joint states, 50 processed" in out
    assert "measured effort less torque [N m or N]" in out
    assert out.splitlines()[-1].split()[0] == "right"


def test_above_residuals_a_line_says_where_accelerations_come_from(recording, capsys):
    for assignment, said in (
        ("friction:=none", "zero (-p acceleration_source:=filtered takes them from velocities)"),
        ("acceleration_source:=filtered", "as the node's, 61 ms late at 10 Hz"),
        ("output:=gravity", ""),
    ):
        assert main(["bag", str(recording), "-p", assignment, "--quiet"]) == 0
        out = capsys.readouterr().out
        assert (
            f"\n\naccelerations: {said}\nmeasured effort less torque" in out
            if said
            else "accelerations:" not in out
        )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--motion",), "--motion is about the CSV"),
        (("--csv", "-"), "--csv -: results are written to a file, the report is printed; give a name"),
        (("--robot", "missing.urdf"), "no URDF file at 'missing.urdf'"),
        (("--description", "/other"), "has no topic '/other' with a robot: give --robot FILE"),
        (("--csv", "no/folder/t.csv"), "No such file or directory"),
        (("--csv", "/dev/full"), "'/dev/full': No space left on device"),
        (("-p", "filter_cutoff:=fast"), "filter_cutoff must be a number, not 'fast'"),
        (("-p", "gravity:=[1, 2]"), "gravity must be 3 finite numbers"),
        (("-p", "gravity:=[1"), "-p gravity:=[1: the value is no YAML"),
        (("-p", "output:="), "output must be one of full, gravity"),
        (("-p", "frictin:=urdf"), "dynamics_node has no parameter 'frictin'; 'friction' may be meant"),
        (("-p", "friction"), "-p friction: NAME:=VALUE is needed"),
        (("-p", "reversed_black_boxes:=[x]"), "reversed_black_boxes names 'x'"),
    ],
)
def test_what_cannot_be_used_takes_one_line(recording, capsys, options, words):
    assert main(["bag", str(recording), *options]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1, err
    assert words in err


def test_what_is_read_is_not_overwritten_by_the_csv(tmp_path, names, four_link, capsys):
    folder = write_bag(tmp_path / "bag", moving_states(names, 5)[0])
    robot, params = Path(shutil.copy(four_link, tmp_path / "r.urdf")), tmp_path / "params.yaml"
    params.write_text(f"dynamics_node:\n  ros__parameters: {{robot_description_file: {robot}}}\n")
    file = next(folder.glob("*.mcap"))
    link = tmp_path / "link.csv"
    link.symlink_to(file)
    options = ("--params-file", params)
    for recording, csv in ((file, file), (file, link), (folder, file), (folder, folder / "metadata.yaml")):
        assert_kept(capsys, csv, "bag", recording, "--robot", robot)
    assert_kept(capsys, robot, "bag", folder, "--robot", robot)
    assert_kept(capsys, robot, "bag", folder, *options)
    assert_kept(capsys, params, "bag", folder, *options)
    assert main(["bag", str(folder), *map(str, options), "--csv", str(folder / "torques.csv")]) == 0


def assert_kept(capsys, path, *words):
    before = path.read_bytes()
    assert main([*map(str, words), "--csv", str(path)]) == 2
    err = capsys.readouterr().err
    assert f"--csv {path}: the command reads this file" in err
    assert err.count("\n") == 1
    assert path.read_bytes() == before


@pytest.mark.nightly
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")
def test_memory_does_not_grow_with_the_bag(tmp_path, names, four_link):
    peaks = []
    for count in (2_000, 30_000):
        folder = write_bag(tmp_path / str(count), moving_states(names, count)[0])
        command = ["-c", COMMAND + PEAK, "bag", folder, "--robot", four_link, "--csv", tmp_path / "t.csv"]
        done = run_python(*command)
        assert done.returncode == 0, done.stderr
        peaks.append(int(done.stderr.split()[-1]))
    # KiB; 28,000 joint states more are 9 MB in the bag, and 20 MB as objects of Python
    assert peaks[1] - peaks[0] < 8_000


PEAK = """
# ru_maxrss would be that of the process which started this one, if that is larger
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(peak.split()[1], file=sys.stderr)
sys.exit(code)
"""


def parsed(*assignments, file=None):
    return parameters_of(file, assignments, "/dynamics_node")[0]


def test_parameters_are_the_nodes_and_their_values_yaml(tmp_path):
    assert parsed() == DynamicsParameters()
    path = tmp_path / "params.yaml"
    path.write_text("dynamics_node:\n  ros__parameters: {friction: none, filter_cutoff: 3.0}\n")
    given = parsed(
        "gravity:=[0, 0, -1.62]",
        "floating_base:=true",
        "friction:=urdf",
        "stale_after:=5e-1",
        "absent_joints:=[a:=1, b:=2]",
        "use_sim_time:=true",
        file=path,
    )
    assert (given.gravity, given.floating_base, given.friction) == ((0.0, 0.0, -1.62), True, "urdf")
    assert (given.filter_cutoff, given.stale_after, given.absent_joints) == (3.0, 0.5, ("a:=1", "b:=2"))


@pytest.mark.parametrize(
    "name", ["config/charmie.yaml", "config/branched_38dof.yaml", "examples/ros2_control/dynamics.yaml"]
)
def test_the_parameters_of_a_shipped_file_count(root, name):
    """They have names of nodes in each other: /**, then dynamics_node."""
    values = yaml.safe_load((root / name).read_text())["/**"]["dynamics_node"]["ros__parameters"]
    given = parsed(file=root / name)
    assert given != DynamicsParameters()
    for parameter, value in values.items():
        expected = tuple(value) if isinstance(value, list) else value
        assert getattr(given, parameter) == expected, parameter


def test_unknown_names_in_a_section_of_several_nodes_are_said_in_one_line(tmp_path):
    path = tmp_path / "params.yaml"
    path.write_text(
        "/**:\n  ros__parameters: {rate_of: 1, frictin: urdf, use_sim_time: true, 1: x, a: 2, b: 3}\n"
    )
    values, (text,) = parameters_of(path, (), "/dynamics_node")
    assert values == DynamicsParameters()
    assert text == (
        f"'{path}': /dynamics_node has no parameter 'rate_of', 'frictin', '1', 'a' and 1 more; ignored"
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a: [", "is no YAML"),
        (
            "/left/dynamics_node:\n  ros__parameters: {friction: urdf}\n",
            "no parameters of the node '/dynamics_node', but of '/left/dynamics_node'",
        ),
        (
            "dynamics_node:\n  ros__parameters: {friction: some}\n",
            "friction must be one of none, urdf, not 'some'",
        ),
    ],
)
def test_a_file_that_cannot_be_used(tmp_path, content, words):
    path = tmp_path / "params.yaml"
    path.write_text(content)
    with pytest.raises(ParameterError, match=words):
        parsed(file=path)
