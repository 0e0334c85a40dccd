"""The table of metrics: whatever shows a number reads its title, unit and digits here."""

from __future__ import annotations

from typing import Literal

from studio.requests import Frozen

Better = Literal["higher", "lower"]
MetricKind = Literal["rate", "mean"]


class MetricFacts(Frozen):
    """One metric.

    Attributes:
        name: in JSON, CSV and tables.
        title: above a column.
        help: what it says.
        kind: a rate is a share from 0 to 1 and has Wilson's interval; a mean has the bootstrap's.
        better: which way is better.
        unit: written behind the number.
        scale: what the value is multiplied by before it is written; 100 of a rate.
        digits: written behind the point.
        miss: the value of an answer that failed or could not be read; none leaves it out, and it is counted only.
    """

    name: str
    title: str
    help: str
    kind: MetricKind = "mean"
    better: Better = "higher"
    unit: str = ""
    scale: float = 1.0
    digits: int = 3
    miss: float | None = None

    def written(self, value: float) -> str:
        """The value as tables have it: 0.8012 of a rate is `80.1 %`."""
        return f"{value * self.scale:.{self.digits}f} {self.unit}".rstrip()


def _rate(name: str, title: str, help: str, *, miss: float | None = 0.0, better: Better = "higher") -> MetricFacts:
    return MetricFacts(
        name=name, title=title, help=help, kind="rate", better=better, unit="%", scale=100, digits=1, miss=miss
    )


def _error(name: str, title: str, help: str, unit: str = "", digits: int = 3) -> MetricFacts:
    return MetricFacts(name=name, title=title, help=help, better="lower", unit=unit, digits=digits)


def _score(name: str, title: str, help: str, *, digits: int = 3) -> MetricFacts:
    return MetricFacts(name=name, title=title, help=help, digits=digits, miss=0.0)


METRICS: dict[str, MetricFacts] = {
    metric.name: metric
    for metric in (
        _rate("accuracy", "Accuracy", "Right answers among those that were asked for"),
        MetricFacts(
            name="video_accuracy",
            title="Per-video accuracy",
            help="Mean over videos of each video's accuracy, with its standard deviation",
            kind="mean",
            unit="%",
            scale=100,
            digits=1,
            miss=0.0,
        ),
        _rate("parseable", "Parseable", "Answers that could be read among those that were given", miss=None),
        _rate("exact_match", "Exact match", "Answers equal to the reference, except for case and the final period"),
        _score("bleu", "BLEU", "Corpus BLEU-4 from 0 to 1, tokenizer 13a (sacrebleu)"),
        _score("sentence_bleu", "Sentence BLEU", "Mean of sentence BLEU-4 from 0 to 1, tokenizer 13a (sacrebleu)"),
        MetricFacts(
            name="judge_score",
            title="Judge score",
            help="Mean score of the judge: 1, nothing in common with the reference, to 5, the same meaning",
            digits=2,
        ),
        _error("absolute_error", "Absolute error", "Mean distance to the reference"),
        _error("relative_error", "Relative error", "Mean distance to the reference, divided by the reference"),
        _score("box_iou", "Box IoU", "Mean IoU of each reference box with the box assigned to it; 0 without one"),
        _rate("box_recall", "Box recall", "Reference boxes with an assigned box of IoU 0.5 or more"),
        _error("box_extra", "Surplus boxes", "Boxes per image that no reference box has", digits=2),
        _rate("point_inside", "Points inside", "Points inside a reference box or mask"),
        _score("temporal_iou", "Temporal IoU", "Mean IoU of each reference interval with the one assigned to it"),
        _rate("temporal_recall", "Temporal recall", "Reference intervals with an assigned one of IoU 0.5 or more"),
        _error("mae_s", "MAE", "Mean error of an event's time", "s"),
        _error("mre_percent", "MRE", "Mean error of an event divided by its subtask's duration", "%", 1),
        _rate("hit_rate", "Hit rate", "Events within half of 4.1 sampled frames of the reference"),
        _rate("success", "Success", "Answers with every event found and a mean relative error below the limit"),
        _rate("hue", "HUE", "Questions about a video that are answered Yes; Unclear counts as No", miss=None),
        _error("rotation_error_deg", "RRE", "Mean angle between estimated and true rotation, frame to frame", "°"),
        _error("translation_error_m", "RTE", "Mean distance between estimated and true motion, frame to frame", "m"),
        _error("trajectory_error_m", "ATE", "RMSE of positions after rigid alignment without scale (Umeyama)", "m"),
        _error("action_mse", "Action MSE", "Mean squared error of an action channel", digits=6),
        MetricFacts(
            name="psnr_db",
            title="PSNR",
            help="Peak signal-to-noise ratio against the reference, mean over the frames that were not given",
            unit="dB",
            digits=2,
        ),
        MetricFacts(name="ssim", title="SSIM", help="Structural similarity to the reference, over the same frames"),
        MetricFacts(
            name="edge_f1",
            title="Edge F1",
            help="Canny edges of the result that are at the pixels of the reference's, F1 over all frames (PAIBench-C)",
        ),
        MetricFacts(
            name="blur_ssim",
            title="Blur SSIM",
            help="SSIM of result and reference, both blurred as the blur control is (PAIBench-C)",
        ),
        _error(
            "depth_si_rmse",
            "Depth si-RMSE",
            "Scale-invariant RMSE of the result's inverse depth to the reference's, mean over frames (PAIBench-C)",
        ),
        MetricFacts(
            name="mask_miou",
            title="Mask mIoU",
            help="IoU of objects followed through result and reference, mean over those that were found (PAIBench-C)",
        ),
        MetricFacts(
            name="mask_recall",
            title="Mask recall",
            help="Objects of the reference that were found in the result, with an IoU above 0.1",
            unit="%",
            scale=100,
            digits=1,
        ),
        _error(
            "round_trip_mse",
            "Round trip MSE",
            "Actions estimated from the predicted video, against those given",
            digits=6,
        ),
        MetricFacts(name="onset_f1", title="Onset F1", help="Sound onsets within 50 ms of the reference's, F1"),
        _rate("task_success", "Task success", "Episodes whose task was done"),
        MetricFacts(
            name="task_score", title="Task score", help="Share of the task's parts that were done, from 0 to 1"
        ),
        _rate("reached", "Reached", "Episodes in which the hand was at the named object", miss=None),
        _rate("grasped", "Grasped", "Episodes in which the named object left the table at the hand", miss=None),
        _rate("lifted", "Lifted", "Episodes in which the named object was held in the air", miss=None),
        _rate("wrong_object", "Wrong object", "Episodes in which another object was taken", miss=None, better="lower"),
        _rate("stopped", "Stopped", "Episodes in which the safety filter stopped the arm", miss=None, better="lower"),
        _error("success_s", "Time to success", "Mean time of the episodes that succeeded", "s", 1),
        _error("answer_s", "Time per answer", "Mean over episodes of the median time until the policy answers", "s", 2),
    )
}
