from helpers.paths import ROBOTS
from helpers.studies import FOUR_BAR, study_file
from modular_dynamics.study.reading import load_study, sources_of


def test_sources_are_the_study_its_robot_its_motions_and_its_catalogues(tmp_path):
    (tmp_path / "rows.yaml").write_text("a: {mass: 4}\nb: {mass: 5}\n")
    catalogue = {"catalogue": "rows.yaml", "sets": {"mass": "link output mass"}}
    path = study_file(tmp_path, inputs={**FOUR_BAR["inputs"], "mass": catalogue})
    found = sources_of(load_study(path))
    own = [tmp_path / name for name in ("study.yaml", "turn.yaml", "back.yaml", "rows.yaml")]
    assert sorted(found) == sorted([*own, ROBOTS / "four_bar.urdf"])
