"""`python -m engine.bench`: what every mode costs here and in diffusers, on one folder, in one process."""
