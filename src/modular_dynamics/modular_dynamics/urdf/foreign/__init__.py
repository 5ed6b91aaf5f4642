"""Words of other tools in a URDF that close loops, or add stiffness or inertia: docs/urdf_tags.md."""

from .drake_joints import replace_drake_joints
from .read import foreign_words, remove_words, with_words, words_that_close

__all__ = ["foreign_words", "remove_words", "replace_drake_joints", "with_words", "words_that_close"]
