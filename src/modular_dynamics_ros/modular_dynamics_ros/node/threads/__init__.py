"""What runs beside the executor: the preparation of robots, and services."""
