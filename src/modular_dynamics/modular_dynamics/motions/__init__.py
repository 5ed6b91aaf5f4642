"""Motions of joints over time: as files hold them, and accelerations of recorded ones."""

from .filtered import filtered_accelerations
from .profile_file import AccelerationProfile, load_profile, profile_of

__all__ = ["AccelerationProfile", "filtered_accelerations", "load_profile", "profile_of"]
