"""Journeys in real Chromium."""
