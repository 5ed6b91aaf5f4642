"""ROS 2 nodes of modular dynamics: convert messages, call the library, convert back.

The nodes are dynamics_node (torques of a composed robot), torso_reaction_node (reactions of over-constrained
mechanisms) and joint_state_player (a motion as joint states); `python -m modular_dynamics_ros.demo` plays the
care robot's motions through them.
"""

__all__: list[str] = []
