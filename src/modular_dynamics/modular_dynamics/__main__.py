"""`python -m modular_dynamics`: the command `modular-dynamics`."""

import sys

from .shell.main import main

if __name__ == "__main__":
    sys.exit(main())
