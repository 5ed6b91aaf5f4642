"""ROS 2 nodes of modular dynamics: convert messages, call the library, convert back.

The nodes are dynamics_node (torques of a composed robot), subsystem_node (those of one subsystem, beside the
nodes of the others), torso_reaction_node (reactions of over-constrained mechanisms), assembly_node (modules
that dock while the robot runs), moveit_payload_node (MoveIt's attached objects as payloads) and
joint_state_player (a motion as joint states).
"""
