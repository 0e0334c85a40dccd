"""What can be asked: one frozen class for each thing, used unchanged by form, command line, HTTP, queue and worker."""

from studio.requests.action_fields import ActionRequest
from studio.requests.adapter import Adapter
from studio.requests.fields import MAX_TEXT_BYTES, AspectRatio, Resolution
from studio.requests.frozen import Frozen
from studio.requests.generate_image import GenerateImage
from studio.requests.generate_video import GenerateVideo
from studio.requests.generation import Generation
from studio.requests.hints import FormHint
from studio.requests.kinds import KINDS, SUFFIXES, Kind, Request, kind_of, made_by, media_of, suffixes_of
from studio.requests.parsing import cut, explain, nearest, parse_as, parse_request, shown
from studio.requests.predict_actions import PredictActions
from studio.requests.predict_video import PredictVideo
from studio.requests.reason import Reason
from studio.requests.run_policy import RunPolicy
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
