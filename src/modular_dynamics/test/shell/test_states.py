"""States that cannot be used: one line that names what is wrong and what would be right."""

import pytest

HEAD = "q_turn,q_bend,q_left,q_right"


@pytest.fixture
def table(tmp_path):
    def write(text, name="states.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty; a header is needed: time,q_turn,..."),
        (f"{HEAD},q_lefd\n", "has the column 'q_lefd', which is unknown; possible: time, q_turn, q_bend, "),
        (f"{HEAD},tau_turn\n", "has the column 'tau_turn', which is unknown"),
        (f"{HEAD},q_turn\n", "has the column 'q_turn' twice"),
        ("q_turn,q_bend,q_left\n", "has no column 'q_right'"),
        (f"{HEAD},v_turn\n", "has no column 'v_bend'; v_NAME is needed for all joints or for none"),
        (f"{HEAD}\n0,0,0,0\n0,0,0\n", "line 3: 3 cells for 4 columns"),
        (f"{HEAD}\n0,0,x,0\n", "line 2, column q_left: 'x' is no finite number"),
        (f"{HEAD}\n0,0,,0\n", "line 2, column q_left: '' is no finite number"),
        (f"{HEAD}\n0,nan,0,0\n", "line 2, column q_bend: 'nan' is no finite number"),
        (f"{HEAD}\n0,1_0,0,0\n", "column q_bend: '1_0' is no finite number\n"),
        (f"{HEAD}\n0,1e999,0,0\n", "column q_bend: '1e999' is no finite number\n"),
        (b"\x81\xfe\x00", "is no CSV in UTF-8"),
        (f"{HEAD.replace(',', ';')}\n0;0,5;0;0\n", "'0,5' is no finite number"),
        ("<?xml version='1.0'?><robot/>", "column '<?xml version='1.0'?><robot/>', which is unknown"),
        (POINTER, "a pointer of Git LFS: `git lfs pull` fetches the file"),
    ],
)
def test_a_table_that_cannot_be_used(shell, table, four_link, text, words):
    found = shell("id", four_link, table(text))
    assert found.code == 2
    assert found.err.count("\n") == 1
    assert words in found.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--q", "1,2"), "--q has 2 numbers; 4 are needed: turn, bend, left, right"),
        (("--q", "bnd=1"), "--q names 'bnd', which is unknown; possible: turn, bend"),
        (("--v", "bend=fast"), "--v bend: 'fast' is no finite number"),
        (("--a", "1,2,3,x"), "--a: 'x' is no finite number"),
        (("-", "--q", "0,0,0,0"), "--q and a file of states contradict each other"),
        (("missing.csv",), "'missing.csv': No such file"),
        (("-o", "torques.xls"), "--output torques.xls: a name that ends in .csv is needed"),
    ],
)
def test_options_that_cannot_be_used(error, four_link, options, words):
    assert words in error("id", four_link, *options)


def test_robot_and_states_cannot_both_come_from_standard_input(error):
    assert "cannot both come from standard input" in error("id", "-", "-")


def test_an_empty_table_gives_an_empty_table(shell, table, four_link):
    found = shell("id", four_link, table(f"{HEAD}\n"))
    assert (found.code, found.out) == (0, "tau_turn,tau_bend,tau_left,tau_right\n")


def test_a_joint_that_is_given_twice(error, four_link):
    assert "--q gives 'turn' twice; one number is needed" in error("id", four_link, "--q", "turn=1,turn=2")


@pytest.mark.parametrize(("separator", "name"), [(";", "STATES.CSV"), ("\t", "states.txt")])
def test_semicolons_and_tabs_separate_columns(shell, table, four_link, separator, name):
    text = f"time,{HEAD}\n0,0.1,0.2,0.3,0.4\n1,0.4,0.3,0.2,0.1\n"
    expected = shell("id", four_link, table(text))
    found = shell("id", four_link, table(text.replace(",", separator), name))
    assert (found.code, found.out) == (0, expected.out)


def test_capital_letters_in_suffixes(shell, tmp_path, four_link):
    expected = shell("id", four_link, "--q", "0.1,0.2,0.3,0.4")
    for name in ("ROBOT.URDF", "Robot.Xml", "ROBOT.XACRO"):
        (tmp_path / name).write_bytes(four_link.read_bytes())
        assert shell("id", tmp_path / name, "--q", "0.1,0.2,0.3,0.4").out == expected.out
