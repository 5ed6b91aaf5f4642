"""Build of the library; ament_python needs a setup.py."""

from setuptools import find_packages, setup

PACKAGE = "modular_dynamics"

setup(
    name=PACKAGE,
    version="0.1.0",
    packages=find_packages(include=[PACKAGE, f"{PACKAGE}.*"]),
    package_data={PACKAGE: ["py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{PACKAGE}"]),
        (f"share/{PACKAGE}", ["package.xml"]),
    ],
    python_requires=">=3.10",
    install_requires=["setuptools", "numpy", "scipy", "numba", "lxml", "PyYAML", "urdf_parser_py"],
    extras_require={"crosscheck": ["pin"], "symbolic": ["casadi"]},
    zip_safe=False,
    maintainer="modular_dynamics maintainers",
    maintainer_email="maintainers@modular-dynamics.example",
    description="Joint torques of robots that are composed from subsystems.",
    license="Apache-2.0",
)
