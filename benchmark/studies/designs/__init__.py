"""Design studies, checked from outside."""
