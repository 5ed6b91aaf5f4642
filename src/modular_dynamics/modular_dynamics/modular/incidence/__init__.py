"""Assembly incidence matrices, and transformations between modules by the paper's traversal (section IV)."""
