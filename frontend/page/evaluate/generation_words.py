"""What Evaluate says of benchmarks of requests, and of curves over saves."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "evaluate.form_generation": "generation",
    "evaluate.num_requests": "{count} requests",
    "evaluate.num_requests_one": "1 request",
    "evaluate.checkpoint": "Checkpoint",
    "evaluate.adapter": "LoRA adapter",
    "evaluate.no_adapter": "No adapter",
    "evaluate.steps": "Steps",
    "evaluate.given": "Given",
    "evaluate.reference": "Reference",
    "evaluate.way_back": "Actions estimated from it",
    "evaluate.made_trial": "{run}, trial {trial}",
    "evaluate.made_gone": "The file was deleted.",
    "evaluate.not_made": "Not generated yet.",
    "evaluate.play_together": "Play or stop all videos of this item",
    "evaluate.series": "By frame and channel",
    "evaluate.series_by_frame": "{metric} by frame",
    "evaluate.series_frame": "frame {frame}",
    "evaluate.series_by_channel": "{metric} by channel of an action",
    "evaluate.channel": "Channel",
    "evaluate.curves": "Curves over saves",
    "evaluate.curve_of": "{training} on {checkpoint}",
    "evaluate.curve_step": "step {step}",
    "evaluate.curve_peak": "Best: {value} at step {step}",
    "evaluate.curve_beside": "Baseline: {value}",
    "evaluate.curve_label": "{metric} over the saves, best at step {step}",
    "evaluate.curve_baseline": "Baseline",
    "evaluate.curve_baseline_own": "The checkpoint without adapter",
    "evaluate.curve_csv": "Curves (CSV)",
}
