"""Client of the Bellhop API."""

from .client import Bellhop, Problem, Response
from .mirror import Change, MirrorStore, mirror
from .verify import WrongSignature, verify

__all__ = ["Bellhop", "Change", "MirrorStore", "Problem", "Response", "WrongSignature", "mirror", "verify"]
