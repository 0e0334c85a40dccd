"""The media that a request names, looked at before it is queued: what cannot start is refused at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from backend.media import MediaFacts, MediaStore, frame_rate, origin_of, read_timeline
from studio.errors import BadInput, MediaNotFound
from studio.perception import perception_folder
from studio.requests import AspectRatio, Control, GenerateVideo, Request, TransferVideo, media_of
from studio.requests.transfer_video import MAX_FRAMES
from studio.rules import CANVASES


@dataclass(frozen=True)
class NamedClip:
    """A clip of the store.

    Attributes:
        param: the request's field that names it.
        name: in the store.
        size: (width, height) as it is shown.
        fps: the request's frames per second.
        num_frames: at that rate.
        is_still: it holds a single frame, however long that is shown.
    """

    param: str
    name: str
    size: tuple[int, int]
    fps: float
    num_frames: int
    is_still: bool

    def require(self, num_frames: int) -> None:
        """Raises BadInput when it has fewer frames, or has only one to show all the time."""
        if self.is_still and num_frames > 1:
            raise BadInput(
                f"The video has 1 frame; {num_frames:,} are needed.",
                param=self.param,
                hint="Send a video with more frames.",
            )
        if self.num_frames < num_frames:
            raise BadInput(
                f"The video has {self.num_frames:,} frames at {self.fps:g} frames per second; {num_frames:,} are "
                "needed.",
                param=self.param,
                hint=f"Send at least {num_frames / self.fps:.2f} s, or keep fewer frames.",
            )


def find_picture(store: MediaStore, param: str, name: str) -> MediaFacts:
    """What a picture is.

    Raises:
        MediaNotFound: there is nothing of that name.
        BadInput: it is no picture, or can no longer be read.
    """
    return _facts(store, param, name, "image")


def find_clip(store: MediaStore, param: str, name: str, fps: float) -> NamedClip:
    """A clip, and how long it is at a rate; raises as `find_picture`."""
    facts = _facts(store, param, name, "video")
    num_frames = read_timeline(store.file(name)).num_frames_at(frame_rate(fps))
    return NamedClip(param, name, (facts.width, facts.height), fps, num_frames, is_still=facts.num_frames == 1)


def _facts(store: MediaStore, param: str, name: str, wanted: Literal["image", "video"]) -> MediaFacts:
    try:
        facts = store.facts(name)
    except MediaNotFound as error:
        raise MediaNotFound(error.message, param=param, hint="Upload it first: POST /v1/media.") from None
    except BadInput as error:
        raise BadInput(error.message, param=param, hint=error.hint) from None
    if facts.type != wanted:
        raise BadInput(f"{param} is {name}, a file of type {facts.type}; expected {wanted}.", param=param)
    return facts


SHAPE_TOLERANCE = 0.03
"""How far apart width to height of two clips may be; 832x480, the canvas of 16:9 at 480p, is 2.5 % off 16:9.

Canvases of one name may be further apart: 4:3 is 320x256 at 256p and 736x544 at 480p, 8 % from each other.
"""


@dataclass(frozen=True)
class _TransferClip:
    """One of the clips and what it is called in a sentence."""

    title: str
    found: NamedClip


def check_transfer(request: TransferVideo, store: MediaStore) -> None:
    """See `check_inputs`."""
    source = None
    if request.source_video is not None:
        source = find_clip(store, "source_video", request.source_video, request.fps)
    controls = [_of_control(index, control, request, store, source) for index, control in enumerate(request.controls)]
    _check_lengths(request, controls)
    shaped = controls if source is None else [*controls, _TransferClip("source video", source)]
    _check_shapes(request, shaped, store)
    if source is not None and request.num_source_frames:
        _check_kept(request, source, controls[0].found.num_frames)


def _of_control(
    index: int, control: Control, request: TransferVideo, store: MediaStore, source: NamedClip | None
) -> _TransferClip:
    if control.video is None:
        assert source is not None, "a request with a computed control has a source"
        if control.hint in ("depth", "seg"):
            perception_folder(control.hint, f"controls.{index}.hint")
        return _TransferClip(f"source video, which {control.hint} is computed from,", source)
    param = f"controls.{index}.video"
    return _TransferClip(f"{control.hint} control", find_clip(store, param, control.video, request.fps))


def _check_lengths(request: TransferVideo, controls: list[_TransferClip]) -> None:
    """All as long as the first, up to the length that was asked for; whatever is longer than that is cut."""
    most = math.inf if request.num_frames is None else request.num_frames
    first = controls[0]
    for other in controls[1:]:
        if min(other.found.num_frames, most) != min(first.found.num_frames, most):
            shorter = min(other.found.num_frames, first.found.num_frames)
            raise BadInput(
                f"The {other.title} has {other.found.num_frames:,} frames at {request.fps:g} frames per second; the "
                f"{first.title} has {first.found.num_frames:,}.",
                param=other.found.param,
                hint=f"Send videos of equal length, or set num_frames to {shorter}; longer videos are trimmed.",
            )
    if min(first.found.num_frames, most) > MAX_FRAMES:
        raise BadInput(
            f"The {first.title} has {first.found.num_frames:,} frames at {request.fps:g} frames per second; at most "
            f"{MAX_FRAMES:,} can be generated.",
            param=first.found.param,
            hint=f"Set num_frames to {MAX_FRAMES} or less; the video is trimmed.",
        )


def _check_shapes(request: TransferVideo, clips: list[_TransferClip], store: MediaStore) -> None:
    """All of one shape: each is cropped to the canvas by itself."""
    sizes = [_size(clip.found, request, store) for clip in clips]
    for clip, size in zip(clips[1:], sizes[1:], strict=True):
        if not _agree(sizes[0], size):
            raise BadInput(
                f"The {clip.title} is {size[0]}x{size[1]} pixels; the {clips[0].title} is {sizes[0][0]}x{sizes[0][1]}, "
                "a different aspect ratio.",
                param=clip.found.param,
                hint="Send videos of the same aspect ratio; their resolutions may differ.",
            )


def _agree(size: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two sizes (width, height) are of one shape, or canvases of one name."""
    if abs(other[0] / other[1] * size[1] / size[0] - 1) <= SHAPE_TOLERANCE:
        return True
    names = get_args(AspectRatio)
    return any(all(each in _canvases(name) for each in (size, other)) for name in names)


def _canvases(aspect_ratio: AspectRatio) -> set[tuple[int, int]]:
    return {shapes[aspect_ratio] for shapes in CANVASES.values()}


def _size(clip: NamedClip, request: TransferVideo, store: MediaStore) -> tuple[int, int]:
    """(width, height), of a control that was computed here for this shape, in any tier, before it was cropped."""
    origin = origin_of(store.file(clip.name))
    if origin is not None and origin.aspect_ratio == request.aspect_ratio:
        return origin.source_size
    return clip.size


def _check_kept(request: TransferVideo, source: NamedClip, length: int) -> None:
    """The source has the frames that are kept, and something is left to be made."""
    kept = request.num_source_frames
    if source.num_frames < kept:
        raise BadInput(
            f"num_source_frames is {kept}; the source video has {source.num_frames:,} frames at {request.fps:g} frames "
            "per second.",
            param="num_source_frames",
            hint=f"Keep at most {source.num_frames}.",
        )
    chunk = request.num_frames_at_once(length)
    most = chunk - 1  # a latent frame that is begun is not kept: 4 frames are 1 latent frame, 5 are 2
    if kept > most:
        raise BadInput(
            f"num_source_frames is {kept}; of the {chunk:,} frames of a chunk none is left to generate.",
            param="num_source_frames",
            hint=f"Keep at most {most}." if most else "Set it to 0.",
        )


def with_length(request: Request, store: MediaStore) -> Request:
    """The request with its length said: a transfer without one is as long as its controls. Blocks while it reads one.

    Raises:
        MediaNotFound: the clip is not in the store.
        BadInput: it is none.
    """
    if not isinstance(request, TransferVideo) or request.num_frames is not None:
        return request
    param, name = "controls.0.video", request.controls[0].video
    if name is None:
        assert request.source_video is not None, "a request with a computed control has a source"
        param, name = "source_video", request.source_video
    return request.model_copy(update={"num_frames": find_clip(store, param, name, request.fps).num_frames})


def check_inputs(request: Request, store: MediaStore) -> None:
    """Look at every medium that a request names. Blocks while it reads them.

    Raises:
        MediaNotFound: the store has nothing of that name.
        BadInput: it is not what it should be, too short at the request's frame rate, or does not go with another one.
        CheckpointNotFound: a control is computed by a model that was not pulled.
    """
    if isinstance(request, TransferVideo):  # its clips lie over each other
        check_transfer(request, store)
        return
    if isinstance(request, GenerateVideo):
        _check_something_is_left(request)
    for named in media_of(request):
        if named.type == "image":
            find_picture(store, named.param, named.id)
        else:
            span = request.source_frames
            find_clip(store, named.param, named.id, span.fps).require(span.fewest)


def _check_something_is_left(request: GenerateVideo) -> None:
    if request.source_video is None or request.sound:
        return
    if len(set(request.condition_frames)) == request.num_latent_frames:
        raise BadInput(
            f"condition_frames keeps all {request.num_latent_frames} latent frames; none is left to generate.",
            param="condition_frames",
            hint="Keep fewer frames, raise num_frames, or turn sound on.",
        )
