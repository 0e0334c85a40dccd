"""The spec files of NVIDIA's cosmos-framework as our requests: read, checked and completed without a server.

A spec file holds samples; a sample says, in the framework's names, what is to be made. `read_entries` reads files and
lays overrides over every sample, `make_samples` turns them into requests, with the framework's defaults where they say
nothing. Names, values and precedence are those of cosmos_framework/inference/args.py at 5eee9ed (2026-08-21).
"""

from studio.specs.entries import Entry, parse_overrides, read_entries
from studio.specs.inputs import Attachment, Inputs
from studio.specs.samples import Sample, check_fields, make_samples, remote_files
from studio.specs.spec import CheckpointDefaults, FrameworkDefaults, load_framework_defaults

__all__ = [
    "Attachment",
    "CheckpointDefaults",
    "Entry",
    "FrameworkDefaults",
    "Inputs",
    "Sample",
    "check_fields",
    "load_framework_defaults",
    "make_samples",
    "parse_overrides",
    "read_entries",
    "remote_files",
]
