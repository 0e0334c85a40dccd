"""Everything that can go wrong for a person, as types with a stable code.

    StudioError
    ├── BadInput                 bad_input               a field that cannot mean what it says
    │   ├── UnknownKind          unknown_kind            a request of a kind nobody serves
    │   ├── NotAllowed           not_allowed             legal in itself, refused by this checkpoint's rules
    │   ├── PromptTooLong        prompt_too_long         more tokens than the reasoner is given
    │   └── GuardrailBlocked     guardrail_blocked       the guardrail does not let a text through
    ├── NotFound                 not_found               a route that does not exist
    │   ├── JobNotFound          job_not_found
    │   ├── ComparisonNotFound   comparison_not_found
    │   ├── MediaNotFound        media_not_found
    │   ├── CheckpointNotFound   checkpoint_not_found    neither a preset's name nor a folder
    │   ├── PresetNotFound       preset_not_found        nobody saved a form under this id
    │   ├── RefinementNotFound   refinement_not_found
    │   ├── RolloutNotFound      rollout_not_found       none of this id since the server started
    │   ├── FanNotFound          fan_not_found           likewise
    │   ├── RobotNotFound        robot_not_found         none of this name has dialled in
    │   ├── PairNotFound         pair_not_found          no two results that differ in one thing, or not any more
    │   ├── VoteNotFound         vote_not_found
    │   ├── QuestionNotFound     question_not_found
    │   ├── BenchmarkNotFound    benchmark_not_found
    │   ├── RunNotFound          run_not_found
    │   ├── CorrectionNotFound   correction_not_found  this person has not corrected this item
    │   ├── StudyNotFound        study_not_found
    │   ├── RatingNotFound       rating_not_found
    │   ├── DatasetNotFound      dataset_not_found
    │   ├── TuningNotFound       tuning_not_found
    │   └── EpisodeNotFound      episode_not_found       a robot recorded none of this number
    ├── MethodNotAllowed         method_not_allowed      a route that exists, and is not asked like this
    ├── Conflict                 conflict                not in this state
    │   ├── NotInControl         not_in_control          another page has the robot, or this one did not take it
    │   └── RobotAway            robot_away              its program is not connected
    ├── Busy                     busy                    as much as it takes at a time, or not ready yet
    ├── GuardrailLost            guardrail_lost          nothing may run that it has not read, and it does not answer
    ├── NotACheckpoint           not_a_checkpoint        a folder without the released layout
    ├── BrokenCheckpoint         broken_checkpoint       the layout is there, its weights are not whole
    ├── Unauthorized             unauthorized            no token, or a wrong one
    ├── ForeignOrigin            foreign_origin          a Host or Origin that is not this server's
    ├── TooLarge                 too_large               more bytes than are accepted
    ├── TooSlow                  too_slow                headers or a body that came more slowly than any useful link
    ├── TooManyRequests          too_many_requests       more calls in a minute than one caller may make
    ├── NotImplementedHere       not_implemented         a route of a known dialect that Cosmos 3 has nothing for
    ├── StorageError             storage_failed          the data folder could not be used
    │   ├── DiskFull             disk_full
    │   ├── QuotaExceeded        quota_exceeded          more than the library may hold
    │   ├── DataFolderDenied     data_folder_denied      no permission to write there
    │   ├── DataFolderBusy       data_folder_busy        another server holds it
    │   └── DatabaseTooNew       database_too_new        written by a later Orrery
    ├── CannotListen             cannot_listen           the address is taken, or may not be used
    ├── EngineError              engine_failed           the engine gave up on this job
    │   ├── EngineLost           engine_lost             the worker process died
    │   └── OutOfMemory          out_of_memory
    ├── ServerUnreachable        server_unreachable      nobody answers at that address
    └── Unexpected               unexpected              a defect of ours: its details are in the log

`message` says what came and what was expected, `hint` says what to do, `param` names the field.
"""

# The tree above says what each class is for, and a class is named by what happened: no suffix.
# ruff: noqa: D101, N818

from __future__ import annotations

from typing import ClassVar


class StudioError(Exception):
    """A failure that a person may read.

    Args:
        message: what came and what was expected, in one sentence.
        param: dotted path of the field at fault, as in ``sampling.guidance_scale``.
        hint: what to do about it.
    """

    code: ClassVar[str] = "studio_error"

    def __init__(self, message: str, *, param: str | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.param = param
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return rebuild, (self.code, self.message, self.param, self.hint)


class BadInput(StudioError):
    code = "bad_input"


class UnknownKind(BadInput):
    code = "unknown_kind"


class NotAllowed(BadInput):
    code = "not_allowed"


class PromptTooLong(BadInput):
    code = "prompt_too_long"


class GuardrailBlocked(BadInput):
    code = "guardrail_blocked"


class GuardrailLost(StudioError):
    code = "guardrail_lost"


class NotFound(StudioError):
    code = "not_found"


class JobNotFound(NotFound):
    code = "job_not_found"


class ComparisonNotFound(NotFound):
    code = "comparison_not_found"


class MediaNotFound(NotFound):
    code = "media_not_found"


class CheckpointNotFound(NotFound):
    code = "checkpoint_not_found"


class PresetNotFound(NotFound):
    code = "preset_not_found"


class RefinementNotFound(NotFound):
    code = "refinement_not_found"


class RobotNotFound(NotFound):
    code = "robot_not_found"


class EpisodeNotFound(NotFound):
    code = "episode_not_found"


class PairNotFound(NotFound):
    code = "pair_not_found"


class VoteNotFound(NotFound):
    code = "vote_not_found"


class QuestionNotFound(NotFound):
    code = "question_not_found"


class BenchmarkNotFound(NotFound):
    code = "benchmark_not_found"


class RolloutNotFound(NotFound):
    code = "rollout_not_found"


class FanNotFound(NotFound):
    code = "fan_not_found"


class RunNotFound(NotFound):
    code = "run_not_found"


class CorrectionNotFound(NotFound):
    code = "correction_not_found"


class DatasetNotFound(NotFound):
    code = "dataset_not_found"


class TuningNotFound(NotFound):
    code = "tuning_not_found"


class StudyNotFound(NotFound):
    code = "study_not_found"


class RatingNotFound(NotFound):
    code = "rating_not_found"


class MethodNotAllowed(StudioError):
    code = "method_not_allowed"


class Conflict(StudioError):
    code = "conflict"


class NotInControl(Conflict):
    code = "not_in_control"


class RobotAway(Conflict):
    code = "robot_away"


class Busy(StudioError):
    code = "busy"


class NotACheckpoint(StudioError):
    code = "not_a_checkpoint"


class BrokenCheckpoint(StudioError):
    code = "broken_checkpoint"


class Unauthorized(StudioError):
    code = "unauthorized"


class ForeignOrigin(StudioError):
    code = "foreign_origin"


class TooLarge(StudioError):
    code = "too_large"


class TooManyRequests(StudioError):
    code = "too_many_requests"


class TooSlow(StudioError):
    code = "too_slow"


class NotImplementedHere(StudioError):
    code = "not_implemented"


class StorageError(StudioError):
    code = "storage_failed"


class DiskFull(StorageError):
    code = "disk_full"


class QuotaExceeded(StorageError):
    code = "quota_exceeded"


class DataFolderDenied(StorageError):
    code = "data_folder_denied"


class DataFolderBusy(StorageError):
    code = "data_folder_busy"


class DatabaseTooNew(StorageError):
    code = "database_too_new"


class CannotListen(StudioError):
    code = "cannot_listen"


class EngineError(StudioError):
    code = "engine_failed"


class EngineLost(EngineError):
    code = "engine_lost"


class OutOfMemory(EngineError):
    code = "out_of_memory"


class ServerUnreachable(StudioError):
    code = "server_unreachable"


class Unexpected(StudioError):
    code = "unexpected"


def every_error(root: type[StudioError] = StudioError) -> list[type[StudioError]]:
    """The whole tree below ``root``, parents before children."""
    found = [root]
    for child in root.__subclasses__():
        found += every_error(child)
    return found


def rebuild(code: str, message: str, param: str | None = None, hint: str = "") -> StudioError:
    """The error that a code names, as it was on the other side of a pipe or a socket."""
    kinds = {kind.code: kind for kind in every_error()}
    return kinds.get(code, Unexpected)(message, param=param, hint=hint)
