"""Client of the Bellhop API."""

from .client import Bellhop, Problem, Response
from .verify import WrongSignature, verify

__all__ = ["Bellhop", "Problem", "Response", "WrongSignature", "verify"]
