"""What runs beside the executor: the preparation of robots, the reading of large messages, and services."""
