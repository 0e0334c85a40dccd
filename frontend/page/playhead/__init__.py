"""Clips and actions of several results under one clock."""
