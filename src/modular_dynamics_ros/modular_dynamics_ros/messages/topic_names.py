"""Names in a robot description as parts of topics."""

__all__ = ["topic_name"]


def topic_name(name: str) -> str:
    """The name of a subsystem or a loop joint as part of a topic: letters, digits and underscores only."""
    part = "".join(character if character.isascii() and character.isalnum() else "_" for character in name)
    return f"_{part}" if part[:1].isdigit() else part
