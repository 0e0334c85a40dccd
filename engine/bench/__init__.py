"""`python -m engine.bench`: what a picture costs here and in diffusers, on one folder, in one process."""
