"""Sentences that the model was trained on, to the letter; a correction here would be a change of the input.

Source: diffusers 0.42, `pipelines/cosmos/pipeline_cosmos3_omni.py` (`_SYSTEM_PROMPT_IMAGE`, `_SYSTEM_PROMPT_VIDEO`, and
the templates of `Cosmos3OmniPipeline.__init__`). What is named NOT_ belongs to the negative prompt.
"""

from studio.requests.embodiments import ViewName

IMAGE_SYSTEM_PROMPT = "You are a helpful assistant who will generate images from a give prompt."

IMAGE_RESOLUTION = "This image is of {height}x{width} resolution."

NOT_IMAGE_RESOLUTION = "This image is not of {height}x{width} resolution."

VIDEO_SYSTEM_PROMPT = "You are a helpful assistant who will generate videos from a give prompt."

VIDEO_RESOLUTION = "This video is of {height}x{width} resolution."

NOT_VIDEO_RESOLUTION = "This video is not of {height}x{width} resolution."

VIDEO_DURATION = "The video is {duration_s:.1f} seconds long and is of {fps:.0f} FPS."

NOT_VIDEO_DURATION = "The video is not {duration_s:.1f} seconds long and is not of {fps:.0f} FPS."

TRANSFER_SYSTEM_PROMPT = (
    "You are a helpful assistant that generates images or videos following the user's instructions and control signals "
    "(edge maps, blur, depth, or segmentation)."
)
"""Source: diffusers 0.42, `modular_pipelines/cosmos/encoders.py` (`_SYSTEM_PROMPT_TRANSFER`)."""

FRAMING: dict[ViewName, str] = {
    "ego_view": "This video is captured from a first-person perspective looking at the scene.",
    "third_person_view": (
        "This video is captured from a third-person perspective looking towards the agent from the front."
    ),
    "wrist_view": "This video is captured from a wrist-mounted camera.",
    "concat_view": "This video contains concatenated views from multiple camera perspectives.",
    "droid_view": (
        "This video contains concatenated views from multiple camera perspectives. The top row is from the "
        "wrist-mounted camera. The bottom row contains two horizontally concatenated third-person perspective views "
        "of the scene from opposite sides, with the robot visible."
    ),
}
"""Where the camera stands, in captions of actions. Source: `_ACTION_VIEWPOINT_TEMPLATES` of the same file; "droid_view"
is NVIDIA's cosmos-framework, `data/generator/action/datasets/droid_lerobot_dataset.py`."""
