"""Module types as text: YAML of this library, and JSON of timor-python."""
