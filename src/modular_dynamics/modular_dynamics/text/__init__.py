"""Text that people write: its sizes, its numbers, and YAML. What every reader of files shares."""
