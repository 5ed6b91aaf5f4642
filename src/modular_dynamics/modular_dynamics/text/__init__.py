"""Text of files, for all readers: limits of size, numbers, YAML, checked mappings, reading and writing."""
