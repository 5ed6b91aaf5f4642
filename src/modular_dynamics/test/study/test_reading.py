from pathlib import Path

import pytest

from helpers.paths import ROBOTS
from helpers.studies import FOUR_BAR, study_file
from modular_dynamics.exceptions import ModularDynamicsError, StudyError
from modular_dynamics.study import load_study
from modular_dynamics.study.reading import sources_of

MOTION, INPUTS = FOUR_BAR["motion"], FOUR_BAR["inputs"]
SETS = {"sets": "link output mass"}
MANY = {"coupler": {**INPUTS["coupler"], "steps": 10**9}, "mass": {"list": [4, 5, 6, 7, 8, 9], **SETS}}


def test_what_the_file_says(tmp_path):
    study = load_study(study_file(tmp_path, sampling={"kind": "sobol", "designs": 9, "seed": 2}))
    assert (study.name, study.count, study.rate) == ("four_bar", 9, 10.0)
    assert [one.name for one in study.inputs] == ["coupler", "mass", "motion"]
    assert list(study.trajectories) == ["turn", "back"]
    assert load_study(study_file(tmp_path)).count == 5 * 3 * 2


def test_the_digest_is_of_what_results_depend_on(tmp_path):
    first = load_study(study_file(tmp_path)).digest()
    assert load_study(study_file(tmp_path)).digest() == first
    assert load_study(study_file(tmp_path, objective={"mean": 1.0})).digest() == first
    others = {
        load_study(study_file(tmp_path, **change)).digest()
        for change in (
            {"motion": {**MOTION, "rate": 20}},
            {"keep": {}},
            {"inputs": {**INPUTS, "mass": {"list": [4, 5], "sets": "link output mass"}}},
        )
    }
    assert len(others | {first}) == 4
    robot = (tmp_path / "robot.urdf").resolve()
    text = Path(FOUR_BAR["robot"]).read_text("utf-8")
    robot.write_text(text)
    assert load_study(study_file(tmp_path, robot="robot.urdf")).digest() == first
    robot.write_text(
        text.replace('<axis xyz="0 0 1"/> <limit effort="20"', '<axis xyz="0 0 -1"/> <limit effort="20"')
    )
    assert load_study(study_file(tmp_path, robot="robot.urdf")).digest() not in others | {first}
    path = study_file(tmp_path)
    (tmp_path / "turn.yaml").write_text((tmp_path / "turn.yaml").read_text().replace("0.5}", "0.6}"))
    assert load_study(path).digest() not in others | {first}


@pytest.mark.parametrize(
    ("changes", "offender"),
    [
        ({"robot": None}, "robot is missing"),
        ({"robot": "nowhere.urdf"}, "nowhere.urdf"),
        ({"version": 7}, "version is 7; version 1 is needed"),
        ({"keeps": {}}, "keeps is an unknown key; known: .*keep"),
        ({"motion": {**MOTION, "rate": 0}}, "motion/rate is 0; a number .* above 0, up to 1e6, is needed"),
        ({"motion": {"files": {"a": "nowhere.yaml"}}}, "no motion file at .*nowhere.yaml"),
        ({"motion": {"files": {}}}, "motion/files is {}; at least one trajectory"),
        ({"motion": {**MOTION, "instead": {"J1": "J9"}}}, "instead: .*J9"),
        ({"actuators": {"J9": 1}}, "no independent joint 'J9'"),
        ({"actuators": {"J1": -1}}, "actuators/J1 is -1; a finite number of at least 0"),
        ({"objective": {"peak": 1}}, "no objective 'peak'; known are: largest, mean"),
        ({"objective": {"mean": 0}}, "all shares are zero"),
        ({"inputs": {**INPUTS, **MANY}}, "have 1.2e.10 designs; at most 1e.10 are computed"),
        ({"sampling": {"kind": "latin"}}, "sampling/kind is 'latin'; one of grid, sobol"),
        ({"sampling": {"kind": "sobol"}}, "sampling/designs is missing"),
        ({"keep": {"strokes": ["J5"]}}, "keep/strokes: no joint 'J5'"),
        ({"keep": {"sine": 1.5}}, "keep/sine is 1.5; a finite number of at least 0 and at most 1"),
        ({"keep": {"tensions": {"s": {}}}}, "keep/tensions: no spring 's'; there is none"),
        ({"inputs": {}}, "inputs is {}; at least one input"),
        ({"inputs": {name: SETS | {"list": [1]} for name in "ab"}}, "inputs/b sets .*, which input 'a' sets"),
    ],
)
def test_errors_name_the_file_and_the_entry_in_one_line(tmp_path, changes, offender):
    with pytest.raises(ModularDynamicsError, match=offender) as caught:
        load_study(study_file(tmp_path, **changes))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("own", "offender"),
    [
        ({"catalogue": {"x": {"k": 1}}, "sets": {}}, "/sets is {}; at least one column"),
        ({"catalogue": "none.yaml", "sets": {}}, r"/catalogue: no catalogue at .*none\.yaml"),
        ({"catalogue": {"x": {"m": 1}, "y": {}}, "sets": {"m": "x"}}, "/catalogue/y/m is missing"),
        ({"sets": "x"}, " has 0 of the keys list, range, .*; exactly one is needed"),
        ({"range": [2, 1], "sets": "x"}, r"/range is \[2, 1\]; a list \[low, high\]"),
        ({"range": [1, 2], "steps": 1, "sets": "x"}, "/steps is 1; a whole number from 2"),
        ({"list": [], "sets": "x"}, r"/list is \[\]; a list of numbers"),
        ({"trajectories": ["turm"]}, ".*no trajectory 'turm'; similar ones: turn"),
        ({"list": [1], "sets": "link outputs mass"}, ": no parameter .*similar ones: link output mass"),
    ],
)
def test_errors_of_an_input_name_it(tmp_path, own, offender):
    with pytest.raises(ModularDynamicsError, match=f"inputs/a{offender}"):
        load_study(study_file(tmp_path, inputs={"a": own}))


@pytest.mark.parametrize("content", ["a: [", "- 1", "x: 1"])
def test_a_file_that_is_no_study_is_refused_by_name(tmp_path, content):
    path = tmp_path / "broken.yaml"
    path.write_text(content)
    with pytest.raises(StudyError, match=r"broken\.yaml"):
        load_study(path)


def test_a_trajectory_that_moves_what_is_not_independent_is_refused(tmp_path):
    path = study_file(tmp_path)
    (tmp_path / "turn.yaml").write_text((tmp_path / "turn.yaml").read_text().replace("J1", "J4"))
    with pytest.raises(StudyError, match="trajectory 'turn' moves no independent joint 'J4'"):
        load_study(path)


def test_sources_are_the_study_its_robot_its_motions_and_its_catalogues(tmp_path):
    (tmp_path / "rows.yaml").write_text("a: {mass: 4}\nb: {mass: 5}\n")
    catalogue = {"catalogue": "rows.yaml", "sets": {"mass": "link output mass"}}
    path = study_file(tmp_path, inputs={**FOUR_BAR["inputs"], "mass": catalogue})
    found = sources_of(load_study(path))
    own = [tmp_path / name for name in ("study.yaml", "turn.yaml", "back.yaml", "rows.yaml")]
    assert sorted(found) == sorted([*own, ROBOTS / "four_bar.urdf"])
