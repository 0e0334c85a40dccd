"""Sentences that the model was trained on, to the letter; a correction here would be a change of the input.

Source: diffusers 0.42, `pipelines/cosmos/pipeline_cosmos3_omni.py` (`_SYSTEM_PROMPT_IMAGE`,
`image_resolution_template`, `inverse_image_resolution_template`).
"""

IMAGE_SYSTEM_PROMPT = "You are a helpful assistant who will generate images from a give prompt."

IMAGE_RESOLUTION = "This image is of {height}x{width} resolution."

NOT_IMAGE_RESOLUTION = "This image is not of {height}x{width} resolution."
"""For the negative prompt."""
