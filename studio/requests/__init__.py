"""What can be asked: one frozen class for each thing, used unchanged by form, command line, HTTP, queue and worker."""

from studio.requests.fields import MAX_TEXT_BYTES, AspectRatio, Resolution
from studio.requests.frozen import Frozen
from studio.requests.generate_image import GenerateImage
from studio.requests.generate_video import GenerateVideo
from studio.requests.hints import FormHint
from studio.requests.parsing import REQUESTS, Request, cut, explain, nearest, parse_request, shown
from studio.requests.sampling import MAX_SEED, Sampling, VideoSampling, draw_seed

__all__ = [
    "MAX_SEED",
    "MAX_TEXT_BYTES",
    "REQUESTS",
    "AspectRatio",
    "FormHint",
    "Frozen",
    "GenerateImage",
    "GenerateVideo",
    "Request",
    "Resolution",
    "Sampling",
    "VideoSampling",
    "cut",
    "draw_seed",
    "explain",
    "nearest",
    "parse_request",
    "shown",
]
