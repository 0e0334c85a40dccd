"""The places with a form: stage, progress, strip, queueing, and ways on from a result."""
