"""How it is refused: an error of each code that a route documents."""

from __future__ import annotations

from backend.edge.body_limit import MAX_JSON_BYTES, too_large
from backend.examples.calls import JOB, MEDIA, OTHER_MEDIA
from studio import errors

_SHOWN = (
    errors.BadInput("num_frames: 18 frames are not 4k+1; use 17 or 21.", param="num_frames"),
    errors.UnknownKind("kind is 'generate_imag'.", param="kind", hint="Did you mean generate_image?"),
    errors.NotAllowed("cosmos3-edge makes no clips at 720p.", param="resolution", hint="It takes 256, 480."),
    errors.NotFound("There is no task 'captions'.", param="name", hint="Did you mean caption?"),
    errors.JobNotFound(f"There is no job {JOB!r}.", hint="GET /v1/jobs lists them."),
    errors.ComparisonNotFound(
        "There is no comparison '7f21c09be4aa'.", hint="GET /v1/comparisons lists what there is."
    ),
    errors.MediaNotFound(
        f"There is no media {MEDIA!r} in the store.", param="start_image", hint="Send it first: POST /v1/media."
    ),
    errors.CheckpointNotFound("There is no checkpoint 'nano'.", param="checkpoint", hint="Did you mean cosmos3-nano?"),
    errors.PresetNotFound("There is no preset 'a1b2c3d4e5f6'.", hint="GET /v1/presets lists them."),
    errors.RefinementNotFound(
        "There is no refinement '3d0c5a81fe27'.", hint="GET /v1/refinements lists what there is."
    ),
    errors.RobotNotFound("No robot named 'simulated' has dialled in.", hint="orrery robot starts one."),
    errors.PairNotFound(
        f"There is no pair '{MEDIA}.{OTHER_MEDIA}'.",
        param="pair",
        hint="One of its sides may have left the library; GET /v1/arena/pairs/next shows another.",
    ),
    errors.VoteNotFound("There is no vote '90ab12cd34ef'.", hint="GET /v1/arena/votes lists them."),
    errors.QuestionNotFound("There is no question 'c41f7be2a905'.", hint="GET /v1/arena/questions lists them."),
    errors.Conflict(f"Job {JOB} is running.", hint="Wait until it ends, or cancel it first."),
    errors.RobotAway("The robot simulated is not connected.", hint="Its program dials in again by itself if it runs."),
    errors.Busy("64 conversations are open, as many as are held.", hint="Ask again in a moment."),
    errors.NotACheckpoint(
        "/models/edge is no Cosmos 3 checkpoint: it lacks model_index.json.",
        param="checkpoint",
        hint="Point at the folder that holds model_index.json.",
    ),
    errors.BrokenCheckpoint("/models/edge holds no safetensors file.", param="checkpoint"),
    too_large(MAX_JSON_BYTES),
    errors.NotImplementedHere(
        "Remixing is not served here.", hint="Send the clip as input_reference, with a control such as edge: true."
    ),
    errors.StorageError("The database did not answer: database is locked.", hint="Look at the data folder."),
    errors.DiskFull("The disk is full: it could not be written down.", hint="Free some room and send it again."),
    errors.QuotaExceeded(
        "The library holds 9.98 of 10.00 GB; 0.06 GB more do not go in.",
        hint="Empty the trash, or start the server with a larger --quota-gb.",
    ),
    errors.EngineError(
        "The model answered actions that are no numbers.", hint="Take other sampling settings, or another adapter."
    ),
    errors.ServerUnreachable("'https://example.org/first.png' took more than 30 s.", hint="Upload the file."),
)
REFUSALS = {error.code: error for error in _SHOWN}
"""By code."""
