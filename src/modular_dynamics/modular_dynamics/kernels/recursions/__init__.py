"""One algorithm over a kinematic tree per file."""
