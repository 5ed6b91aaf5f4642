# PYTHON_ARGCOMPLETE_OK
"""Where `modular-dynamics` begins: outside the library, whose import takes long: Ctrl-C may come in it."""

__all__ = ["main"]

INTERRUPTED = 130  # as `modular_dynamics.shell.command`, which cannot be imported yet


def main() -> int:
    """Run the command that the command line says; return the exit code."""
    try:
        from modular_dynamics.shell.main import main as run  # noqa: PLC0415  # see above
    except KeyboardInterrupt:
        return INTERRUPTED
    return run()
