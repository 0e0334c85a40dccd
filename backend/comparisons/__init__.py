"""Comparisons: grids of jobs and library items, what is measured in them, and how they are taken elsewhere."""

from backend.comparisons.desk import ComparisonDesk

__all__ = ["ComparisonDesk"]
