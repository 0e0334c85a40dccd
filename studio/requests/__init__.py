"""What can be asked: one frozen class for each thing, used unchanged by form, command line, HTTP, queue and worker."""

from studio.requests.actions import ActionRequest, PredictActions, PredictVideo, RunPolicy
from studio.requests.fields import MAX_TEXT_BYTES, Adapter, AspectRatio, Resolution
from studio.requests.generate_image import GenerateImage
from studio.requests.generate_video import GenerateVideo
from studio.requests.kinds import KINDS, SUFFIXES, Kind, Request, kind_of, made_by, media_of, suffixes_of
from studio.requests.model import FormHint, Frozen, Generation
from studio.requests.parsing import cut, explain, nearest, parse_as, parse_request, shown
from studio.requests.reason import Reason
from studio.requests.sampling import MAX_SEED, Sampling, VideoSampling, draw_seed
from studio.requests.transfer_video import Control, TransferVideo

__all__ = [
    "KINDS",
    "MAX_SEED",
    "MAX_TEXT_BYTES",
    "SUFFIXES",
    "ActionRequest",
    "Adapter",
    "AspectRatio",
    "Control",
    "FormHint",
    "Frozen",
    "GenerateImage",
    "GenerateVideo",
    "Generation",
    "Kind",
    "PredictActions",
    "PredictVideo",
    "Reason",
    "Request",
    "Resolution",
    "RunPolicy",
    "Sampling",
    "TransferVideo",
    "VideoSampling",
    "cut",
    "draw_seed",
    "explain",
    "kind_of",
    "made_by",
    "media_of",
    "nearest",
    "parse_as",
    "parse_request",
    "shown",
    "suffixes_of",
]
