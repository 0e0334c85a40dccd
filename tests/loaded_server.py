"""What a template of the server begins with: all that the server loads once it has been told to start."""

import gc

import backend.application
import backend.edge.paced_http
import backend.living
import backend.serve  # noqa: F401

gc.freeze()  # else each server that is forked copies all of it when it looks for garbage
