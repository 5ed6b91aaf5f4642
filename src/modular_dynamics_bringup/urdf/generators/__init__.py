"""Scripts that write URDFs; run them from the repository root: python -m urdf.generators.NAME."""
