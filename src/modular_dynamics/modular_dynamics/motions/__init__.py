"""Motions of joints over time, as files hold them."""

from .acceleration_profile import AccelerationProfile
from .profile_file import load_profile, profile_of

__all__ = ["AccelerationProfile", "load_profile", "profile_of"]
