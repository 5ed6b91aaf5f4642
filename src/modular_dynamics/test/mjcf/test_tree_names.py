"""Names of elements that have none."""

import modular_dynamics as md

UNNAMED = """<mujoco><worldbody>
  <body><joint/><joint axis="1 0 0"/><geom size="0.1"/>
    <body name="body_1"><joint name="body_2_joint"/><geom size="0.1"/></body></body>
  <body name="hand"><joint/><geom size="0.1"/></body></worldbody></mujoco>"""


def test_elements_without_a_name_get_one_that_is_not_taken():
    graph = md.load_mjcf(UNNAMED)
    assert graph.joint_names == ("body_1_2_joint", "body_1_2_joint_2", "body_2_joint", "hand_joint")
    assert [body.name for body in graph.bodies] == ["body_1_2/body_1_2_joint", "body_1_2", "body_1", "hand"]
    assert graph.name == "MuJoCo Model"
