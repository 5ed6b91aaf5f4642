"""Words of other tools in a URDF that close loops, or add stiffness or inertia: docs/urdf_tags.md."""
