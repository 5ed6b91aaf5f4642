"""The command `modular-dynamics`: one file per sub-command; other packages add theirs (`main.py`)."""
