"""Motions of joints over time: as files hold them, and accelerations of recorded ones."""

from .acceleration_profile import AccelerationProfile
from .filtered import filtered_accelerations
from .profile_file import load_profile, profile_of

__all__ = ["AccelerationProfile", "filtered_accelerations", "load_profile", "profile_of"]
