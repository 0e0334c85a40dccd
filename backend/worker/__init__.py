"""The worker: the one process that owns the device and the `Engine`, started by the server and dying with it.

It reads commands from the pipe it was given, keeps a list of trajectories, and between two denoising steps serves,
in this order, cancel, stop-and-keep, an arm's question, conversations and preview; then it takes the next step. It
encodes what was made, writes it to the media store and answers with references.
"""
