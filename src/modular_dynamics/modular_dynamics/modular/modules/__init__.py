"""Types of modules: bodies, joints and ports as data."""
