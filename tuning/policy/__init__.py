"""Policies, trained on recordings of an arm."""
