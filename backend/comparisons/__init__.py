"""Comparisons: grids of jobs and library items, what is measured in them, and how they are taken elsewhere."""

from backend.comparisons.exporting import Exporting
from backend.comparisons.measuring import Measuring
from backend.comparisons.service import ComparisonService

__all__ = ["ComparisonService", "Exporting", "Measuring"]
