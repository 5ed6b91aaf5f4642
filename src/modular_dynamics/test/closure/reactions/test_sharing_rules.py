"""Rules as data: what is refused, and why."""

import pytest

from helpers.robots.small_rules import edited
from modular_dynamics.closure.reactions.sharing_rules import read_rules, rules_from
from modular_dynamics.exceptions import DescriptionError


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.pop("steps"), "steps missing"),
        (lambda c: c.update(bodies="door"), "bodies is 'door'; a list is needed"),
        (lambda c: c.update(bodies=["door", "door"]), "bodies are door, door; each is to be named once"),
        (lambda c: c.update(joints=None), "joints is None; a mapping is needed"),
        (lambda c: c["joints"].update(top=3), "joint 'top': 3 is not a mapping"),
        (lambda c: c["joints"]["top"].update(bears=None), "'top' bears None"),
        (lambda c: c["joints"]["top"].update(at=[0, 0, float("nan")]), "nor three coordinates"),
        (lambda c: c["steps"][4].update(takes=7), "step 5: 7; 'JOINT.COMPONENT' is needed"),
        (lambda c: c["steps"][4].update(takes=[["low.Fz"]]), "step 5: .* is no component of a joint"),
        (lambda c: c["steps"][4]["takes"].update({"mid.Fz": "half"}), "weight of 'mid.Fz' is 'half'"),
        (lambda c: c["steps"][4]["takes"].update({"mid.Fz": 0}), "weight of 'mid.Fz' is 0"),
        (lambda c: c["steps"].append({"body": "door", "rest": ["low"]}), "no joint '\\['low'\\]'"),
        (lambda c: c["joints"]["top"].update(bears=["Fq"]), "'top' bears Fq; each once of Fx"),
        (lambda c: c["joints"]["top"].update(holds="gate"), "holds 'gate', which is none of the bodies door"),
        (lambda c: c["joints"]["top"].update(at=[1, 2]), "neither a name nor three coordinates"),
        (lambda c: c["joints"]["closer"].pop("from"), "'from' is missing"),
        (lambda c: c["joints"]["top"].update({True: "door"}), "unknown True"),
        (lambda c: c["steps"].pop(), "no step gives low.Fy"),
        (lambda c: c["steps"].append(c["steps"][-1]), "step 10: low.Fy is given by an earlier step"),
        (lambda c: c["steps"][4].update(takes="low.Mz"), "step 5: 'low.Mz' is no component of a joint"),
        (lambda c: c["steps"][4].update(balance="Fq"), "step 5: balance 'Fq'; 'Fy', 'Mx'"),
        (lambda c: c["steps"][4].update(body="gate"), "step 5: 'gate' is none of the bodies door"),
        (lambda c: c["steps"][4].pop("takes"), "step 5: one of known, zero, rest, or balance with takes"),
        (lambda c: c["steps"].append({"body": "door", "rest": "closer"}), "'closer' bears push or pull"),
        (lambda c: c["steps"].append({"body": "door", "rest": "roof"}), "no joint 'roof'"),
    ],
)
def test_bad_rules_are_refused_by_name(change, message):
    with pytest.raises(DescriptionError, match=message):
        rules_from(edited(change))


def test_a_file_that_is_no_rules_is_refused_by_its_path(tmp_path):
    path = tmp_path / "rules.yaml"
    with pytest.raises(DescriptionError, match=r"rules.yaml: the rules cannot be read"):
        read_rules(path)
    path.write_text("[1, 2]")
    with pytest.raises(DescriptionError, match=r"rules.yaml: rules: \[1, 2\] is not a mapping"):
        read_rules(path)


def test_rules_can_be_read_by_people():
    told = str(rules_from(edited(lambda c: c["steps"][5].update(step=3, equations="7-9"))))
    assert "door: balance of Fz gives low.Fz * 2, mid.Fz, top.Fz (the lowest is set first)" in told
    assert "door: 3. eq. 7-9: balance of My about low gives top.Fx" in told
