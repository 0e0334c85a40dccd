"""What is answered: one whole answer of each kind, and of routes after which it stands otherwise."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from backend.examples import dialects, robots, rounds, votes
from backend.examples.calls import MEDIA
from backend.examples.works import (
    BEGAN,
    CANCELLED,
    CLIP,
    DONE,
    ITEM,
    PICTURE_REQUEST,
    RUNNING,
    UPLOAD,
    WAITING,
)
from studio.captions import VideoCaption
from studio.captions.caption import Action, Aesthetics, Lighting, MovingCamera, MovingSubject, Segment, serialise
from studio.catalogue import (
    AdapterInfo,
    AdapterList,
    CheckpointInfo,
    CheckpointList,
    ChoiceList,
    DeviceMemory,
    JobList,
    KindList,
    Recipe,
)
from studio.checkpoints import find_checkpoint
from studio.comparisons import ComparisonList
from studio.events import CheckpointStatus, Errand
from studio.library import (
    BroughtRecords,
    ChangedIds,
    ErasedItems,
    Facet,
    ImportReport,
    LibraryDetail,
    LibraryFacets,
    LibraryPage,
    LibraryUsage,
    SpritesheetLayout,
    Waveform,
)
from studio.media import MediaReference
from studio.presets import FormPreset, FormPresetList, load_presets
from studio.prompting import TaskAnswer, Upsampled, load_tasks
from studio.prompting.results import Box
from studio.prompting.word_diff import compare_words
from studio.queue import Batch, Estimate, QueueStatus
from studio.reasoner_answers import TaskList, UpsampleAnswer
from studio.refinements import Reasoners, RefinementList, RefinementSummary
from studio.rules import Capabilities, choices, spans

_READY = CheckpointStatus(id="speck", title="speck", state="ready", detail="float32 · 5 MB", random_weights=True)
_QUEUE = QueueStatus(num_queued=3, num_running=1, seconds_left=48.5)
_PULL = Errand(what="pull", state="running", done=1_250_000_000, total=8_600_000_000)
_FORM = FormPreset(
    kind="generate_video", name="Quick look", values={"num_frames": 17}, id="a1b2c3d4e5f6", saved_at=BEGAN
)
_CONTROL = MediaReference.model_validate(
    CLIP.model_dump()
    | {"id": MEDIA, "seed": None, "url": f"/v1/media/{MEDIA}", "thumbnail_url": f"/v1/media/{MEDIA}/thumbnail"}
)

_ANSWERS: tuple[BaseModel, ...] = (
    DONE,
    JobList(jobs=(WAITING, DONE)),
    _QUEUE,
    Batch(id="7f21c09be4aa", jobs=(WAITING,)),
    Estimate(seconds=6.1, basis="measured", samples=4, queue_seconds=48.5),
    rounds.COMPARED,
    ComparisonList(comparisons=(rounds.SUMMARY,)),
    UPLOAD,
    Waveform(duration_s=0.7, num_channels=1, peaks=((0.0, 0.41, 0.87, 0.12),)),
    LibraryPage(
        items=(ITEM,),
        total=1,
        usage=LibraryUsage(
            num_items=1,
            size_bytes=ITEM.size_bytes,
            num_trashed=0,
            trash_bytes=0,
            quota_bytes=None,
            free_bytes=80_076_775_424,
        ),
        facets=LibraryFacets(
            kinds=(Facet(value="generate_image", num_items=1),),
            types=(Facet(value="image", num_items=1),),
            checkpoints=(Facet(value="speck", num_items=1),),
            tags=(Facet(value="table", num_items=1),),
        ),
    ),
    ITEM,
    LibraryDetail.model_validate(ITEM.model_dump() | {"request": PICTURE_REQUEST}),
    ChangedIds(ids=(MEDIA,)),
    ErasedItems(num_items=1, freed_bytes=ITEM.size_bytes),
    ImportReport(
        num_items=12,
        num_jobs=9,
        num_known_items=3,
        num_missing_items=0,
        num_own_files=1,
        records={"comparisons": BroughtRecords(num_added=2), "votes": BroughtRecords(num_added=40, num_known=3)},
    ),
    Recipe(request=PICTURE_REQUEST, unread=("Clip skip",)),
    _READY,
    _PULL,
    AdapterList(adapters=(AdapterInfo(name="watercolour", size_bytes=4_812_300),)),
    _FORM,
    FormPresetList(presets=(_FORM,)),
    dialects.MODELS,
    dialects.MODELS.data[0],
    dialects.IMAGES,
    dialects.VIDEO,
    dialects.VIDEOS,
    dialects.DELETED,
    dialects.COMPLETION,
    rounds.REFINED,
    RefinementList(refinements=(RefinementSummary.of(rounds.REFINED),)),
    Reasoners(endpoints={"critic": "http://127.0.0.1:8001/v1"}),
    TaskAnswer(
        text='[{"bbox_2d": [210, 480, 390, 700], "label": "cup"}]',
        results=(Box(label="cup", box_2d=(210, 480, 390, 700), pixels=(53.76, 122.88, 99.84, 179.2)),),
    ),
    votes.NEXT_PAIR,
    votes.PAIR,
    votes.VOTE,
    votes.VOTES,
    votes.REASONERS,
    votes.QUESTIONS,
    votes.ANSWERED,
)


def by_model() -> dict[str, Any]:
    """As JSON, by the name of the model that a route answers."""
    of_dialects = (dialects.actions(), dialects.metadata())
    drawn_up = (*of_dialects, votes.standings(), _checkpoints(), _choices(), KindList.of_table(), _tasks())
    shown = {type(answer).__name__: answer.model_dump(mode="json") for answer in (*_ANSWERS, *drawn_up)}
    return shown | {"UpsampleAnswer": _upsampled().model_dump(mode="json", exclude_unset=True)}


def by_route() -> dict[str, Any]:
    """As JSON, by method and path: answers that the route itself has changed, or that have no model."""
    changed: dict[str, BaseModel] = {
        "POST /v1/jobs": WAITING,
        "DELETE /v1/jobs/{job_id}": CANCELLED,
        "PATCH /v1/jobs/{job_id}": WAITING.model_copy(update={"priority": "high"}),
        "POST /v1/jobs/{job_id}/stop": RUNNING,
        "POST /v1/jobs/{job_id}/retry": WAITING,
        "POST /v1/jobs/{job_id}/move": WAITING,
        "POST /v1/jobs/{job_id}/duplicate": WAITING,
        "DELETE /v1/queue": QueueStatus(),
        "POST /v1/queue/pause": _QUEUE.model_copy(update={"paused": True}),
        "DELETE /v1/batches/{batch_id}": Batch(id="7f21c09be4aa", jobs=(CANCELLED,)),
        "POST /v1/comparisons": rounds.ASKED,
        "POST /v1/comparisons/{comparison_id}/retry": rounds.ASKED,
        "POST /v1/comparisons/{comparison_id}/cancel": rounds.GIVEN_UP,
        "GET /v1/comparisons/{comparison_id}/likeness": rounds.MEASURED,
        "GET /v1/media/{media_id}/spritesheet": SpritesheetLayout(
            columns=6, rows=1, num_frames=4, frame_width=160, frame_height=160, times_s=(0.0, 0.25, 0.5, 0.75)
        ),
        "POST /v1/controls": _CONTROL,
        "POST /v1/checkpoints/{name}/load": _READY.model_copy(update={"state": "loading", "detail": ""}),
        "POST /v1/checkpoints/{name}/unload": _READY.model_copy(update={"state": "leaving"}),
        "POST /v1/checkpoints/{name}/sleep": _READY.model_copy(update={"state": "leaving"}),
        "DELETE /v1/checkpoints/{name}/pull": _PULL.model_copy(update={"state": "cancelled"}),
        "POST /v1/checkpoints/{name}/verify": Errand(what="verify", state="running"),
        "POST /v1/videos": dialects.VIDEO_QUEUED,
        "POST /v1/videos/sync": dialects.VIDEO_WITH_BYTES,
        "POST /v1/refinements": rounds.BEGUN,
        "POST /v1/refinements/{refinement_id}/branches": rounds.BRANCHED,
        "POST /v1/refinements/{refinement_id}/stop": rounds.STOPPED,
        "POST /v1/refinements/{refinement_id}/resume": rounds.BEGUN,
        "DELETE /v1/arena/votes/{vote_id}": votes.REVOKED,
        "POST /v1/arena/judgements": votes.JUDGED,
        "POST /v1/arena/questions": votes.PUT,
        "POST /v1/arena/questions/{question_id}/grades": votes.GRADED,
    }
    return {name: answer.model_dump(mode="json") for name, answer in changed.items()} | robots.ANSWERS


def _checkpoints() -> CheckpointList:
    nowhere = Path(os.devnull)
    info = CheckpointInfo.of(find_checkpoint("speck", load_presets(), nowhere), _READY, active=True)
    here = info.model_copy(update={"installed": True, "disk_gb": 0.005, "needed_gb": 0.1})
    memory = DeviceMemory(place="gpu", total_gb=85.0, free_gb=84.2, spare_gb=84.2)
    return CheckpointList(checkpoints=(here,), memory=memory, starts_with="speck")


def _choices() -> ChoiceList:
    can = Capabilities(checkpoint="speck")
    ruled = {name: tuple(row) for name, row in choices("generate_image", can).items()}
    return ChoiceList(checkpoint="speck", choices=ruled, limits=spans("generate_image", can))


def _tasks() -> TaskList:
    return TaskList(tasks=(load_tasks()["grounding"],))


def _upsampled() -> UpsampleAnswer:
    caption = VideoCaption(
        subjects=(MovingSubject(description="a robot arm", action="lifts a red cube"),),
        background_setting="a wooden table in a bright workshop",
        lighting=Lighting(conditions="daylight"),
        aesthetics=Aesthetics(composition="centred"),
        cinematography=MovingCamera(framing="medium shot", camera_motion="static"),
        style_medium="video",
        artistic_style="realistic",
        context="a demonstration",
        actions=(Action(time="0:00-0:01", description="the arm lifts the cube"),),
        segments=(Segment(segment_index=0, time_range="0:00-0:01", description="the cube leaves the table"),),
        temporal_caption="A robot arm lifts a red cube from a wooden table.",
    )
    return UpsampleAnswer.of(
        Upsampled(
            prompt=serialise(caption),
            caption=caption,
            scene_imagination="",
            thought="",
            repairs=(),
            attempts=1,
            words=compare_words("The arm lifts the cube.", caption),
        )
    )
