"""`python -m engine.bench`: what a GPU or a processor makes of the engine and of diffusers, in one process."""
