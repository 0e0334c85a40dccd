"""Tune: data sets, tunings with their checks, curves and saves."""
