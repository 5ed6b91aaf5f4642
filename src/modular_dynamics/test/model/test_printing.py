"""What a graph prints."""


def test_print_shows_subsystems_joints_and_connection_points(load_robot):
    text = str(load_robot("charmie"))
    assert text.splitlines()[0] == (
        "charmie: 5 subsystems, 19 moving joints, nq = 19, nv = 19, moving mass 55.6 kg"
    )
    assert "torso (2 joints) at link body_3 of base" in text
    assert "torso_lift: prismatic along [0, 0, 1], body_3 → body_4" in text
    assert "base (3 joints) at link world of the ground" in text


def test_print_shows_black_boxes_and_mimics(boxed_arm):
    text = str(boxed_arm)
    assert "tool (2 joints, black box)" in text
    assert "mimics tv7_left_finger_joint" in text
