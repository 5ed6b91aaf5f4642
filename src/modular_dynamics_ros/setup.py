"""Build of the nodes; ament_python needs a setup.py."""

from pathlib import Path
from xml.etree import ElementTree

from setuptools import find_packages, setup

PACKAGE = "modular_dynamics_ros"

setup(
    name=PACKAGE,
    version=ElementTree.parse(Path(__file__).resolve().with_name("package.xml")).findtext("version"),
    packages=find_packages(include=[PACKAGE, f"{PACKAGE}.*"]),
    package_data={PACKAGE: ["py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{PACKAGE}"]),
        (f"share/{PACKAGE}", ["package.xml"]),
    ],
    entry_points={
        "console_scripts": [
            f"assembly_node = {PACKAGE}.__main__:assembly_node",
            f"dynamics_node = {PACKAGE}.__main__:dynamics_node",
            f"moveit_payload_node = {PACKAGE}.__main__:moveit_payload_node",
            f"subsystem_node = {PACKAGE}.__main__:subsystem_node",
            f"torso_reaction_node = {PACKAGE}.__main__:torso_reaction_node",
            f"joint_state_player = {PACKAGE}.__main__:joint_state_player",
        ],
        "modular_dynamics.commands": [f"bag = {PACKAGE}.bag.command:BAG"],
    },
    python_requires=">=3.10",
    zip_safe=False,
    maintainer="modular_dynamics maintainers",
    description="ROS 2 nodes of modular_dynamics.",
    license="Apache-2.0",
)
