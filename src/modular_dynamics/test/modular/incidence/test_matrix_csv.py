"""Incidence matrices as CSV: read as they were written, and errors that name file, line and column."""

import pytest

from helpers.random_examples.assemblies import random_assembly
from helpers.random_examples.examples import some
from helpers.robots.paper_organism import organism
from modular_dynamics.exceptions import AssemblyError, DescriptionError
from modular_dynamics.modular import Assembly, IncidenceMatrix

PAIR = """\
module,e1,e2,kind
v0,3,0,backbone
v1,4,3,scout
v2,0,4,block
docking types,DP,-
quarter turns,0,2
base module,v1
"""


def test_a_table_is_readable():
    aim = IncidenceMatrix.from_csv(PAIR)
    assert aim.matrix.tolist() == [[3, 0], [4, 3], [0, 4]]
    assert aim.modules == ("v0", "v1", "v2")
    assert aim.kinds == ("backbone", "scout", "block")
    assert aim.docking_types == ("DP", "-")
    assert aim.turns == (0, 2)
    assert aim.base == "v1"
    assert aim.to_csv() == PAIR


def test_rows_below_the_modules_may_be_missing():
    aim = IncidenceMatrix.from_csv("\n".join(PAIR.splitlines()[:4]))
    assert aim.docking_types is None
    assert aim.turns == (0, 0)
    assert aim.base == "v0"
    assert Assembly.from_incidence_matrix(aim).incidence_matrix().docking_types == ("DP", "-")


@pytest.mark.parametrize("seed", some(range(30)))
def test_random_assemblies_come_back(seed, tmp_path):
    aim = random_assembly(seed).incidence_matrix()
    assert aim.to_csv(tmp_path / "aim.csv") == (tmp_path / "aim.csv").read_text("utf-8")
    assert IncidenceMatrix.from_csv(tmp_path / "aim.csv") == aim
    assert IncidenceMatrix.from_csv(str(tmp_path / "aim.csv")) == aim
    assert IncidenceMatrix.from_csv(aim.to_csv()) == aim


def test_what_spreadsheets_write_is_read():
    spaced = PAIR.replace(",", " , ").replace("backbone", '"backbone"').replace(' "', '"')
    padded = spaced.replace(" , 2\n", ",2,\n").replace("base module , v1", "base module,v1,,") + ",,,\n\n"
    text = "\ufeff" + padded.replace("\n", "\r\n")
    assert text.endswith("0,2,\r\nbase module,v1,,\r\n,,,\r\n\r\n")
    assert IncidenceMatrix.from_csv(text) == IncidenceMatrix.from_csv(PAIR)


def test_names_with_commas_and_quotes_come_back():
    odd = IncidenceMatrix([[3], [4]], ("a,b", 'c"d'), ("x,y", 'z"'), ("-",), docks=("é,1",))
    assert IncidenceMatrix.from_csv(odd.to_csv()) == odd


def test_names_of_rows_cannot_be_modules():
    aim = IncidenceMatrix([[3], [4]], ("block", "block"), ("module", "turns"))
    assert IncidenceMatrix.from_csv(aim.to_csv()) == aim


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("module,e1,e2,kind\n", "", r"line 1: 'v0,3,0,backbone' is no header"),
        (PAIR, "\n", r"line 1: '' is no header"),
        ("v1,4,3,scout", "v1,4,scout", r"line 3: 3 cells; 4 are needed"),
        ("v1,4,3,scout", "v1,4,3,scout,", r"line 3: 5 cells"),
        ("v1,4,3", "v1,4,x", r"line 3: column 'e2': 'x' is no whole number"),
        ("v1,4,3", "v1,nan,3", r"line 3: column 'e1': 'nan'"),
        ("v1,4,3", "v1,,3", r"line 3: column 'e1': ''"),
        ("v1,4,3", "v1,4.0,3", r"line 3: column 'e1': '4.0'"),
        ("v1,4,3", "v1,1_0,3", r"line 3: column 'e1': '1_0'"),
        ("v1,4,3", "v1,-4,3", r"module 'v1', column 'e1': the entry is -4"),
        ("v1,4,3", "v1,0,3", r"column 'e1' has 1 entries: face 3 of module 'v0'"),
        ("v2,0,4", "v1,0,4", r"the modules 2 and 3 have both the name 'v1'"),
        ("e1,e2", "e1,e1", r"the columns 1 and 2 have both the name 'e1'"),
        ("v2,", ",", r"number 3 of the names is ''"),
        ("block", "", r"number 3 of the kinds is ''"),
        ("DP,-", "DP", r"line 5: the row 'docking types' has 1 cells; 2 are needed"),
        ("DP,-", "DP,-,DO", r"line 5: the row 'docking types' has 3 cells"),
        ("DP,-", "DP,", r"number 2 of the docking types is ''"),
        ("0,2\n", "0,7\n", r"column 'e2': the turn is 7"),
        ("0,2\n", "0,two\n", r"line 6: column 'e2': 'two'"),
        ("quarter turns", "docking types", r"line 6: the row 'docking types' comes twice"),
        (
            "quarter turns",
            "half turns",
            r"line 6: the row 'half turns' is none of docking types, quarter turns",
        ),
        ("base module,v1", "base module,v9", r"the base is 'v9'"),
        ("v1,4", '"v1,4', r"line \d+: this is no row of a table"),
    ],
)
def test_errors_name_file_line_and_column(old, new, message, tmp_path):
    assert old in PAIR
    path = tmp_path / "robot.csv"
    path.write_text(PAIR.replace(old, new), "utf-8")
    with pytest.raises((AssemblyError, DescriptionError), match=message) as caught:
        IncidenceMatrix.from_csv(path)
    assert str(caught.value).startswith(str(path))
    with pytest.raises((AssemblyError, DescriptionError), match=r"^the text[:,] "):
        IncidenceMatrix.from_csv(PAIR.replace(old, new))


def test_errors_name_files_that_cannot_be_read(tmp_path):
    with pytest.raises((AssemblyError, DescriptionError), match=r"no CSV table at '.*none\.csv'"):
        IncidenceMatrix.from_csv(tmp_path / "none.csv")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises((AssemblyError, DescriptionError), match=r"binary\.csv' is no CSV .* text in UTF-16"):
        IncidenceMatrix.from_csv(tmp_path / "binary.csv")
    with pytest.raises((AssemblyError, DescriptionError), match="int 3 is no CSV table"):
        IncidenceMatrix.from_csv(3)
    with pytest.raises((AssemblyError, DescriptionError), match="which is a folder"):
        IncidenceMatrix.from_csv(tmp_path)


def test_a_file_of_the_papers_organism_is_the_organism(tmp_path):
    organism().incidence_matrix().to_csv(tmp_path / "organism.csv")
    aim = IncidenceMatrix.from_csv(tmp_path / "organism.csv")
    assert Assembly.from_incidence_matrix(aim) == organism()
