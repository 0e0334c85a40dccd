"""The commands of curl that are published for Cosmos 3, field by field; prompts are ours where they are long.

Sources: README.md of github.com/NVIDIA/cosmos ("Generator with vLLM-Omni", "Generator with SGLang") as of 2026-08,
its cookbooks/cosmos3/generator/{audiovisual,action,transfer}/run_*_with_{vllm_omni,sglang}.ipynb and its samples of
curl for SGLang; recipes/cosmos3/Cosmos3-Nano.md of github.com/vllm-project/vllm-omni;
docs_new/cookbook/diffusion/Cosmos/Cosmos3.mdx of github.com/sgl-project/sglang.
"""

import json

from curl_commands import Curl

NANO = "nvidia/Cosmos3-Nano"
NEGATIVE = "blurry, distorted, low quality"
CAPTION = json.dumps({"temporal_caption": "A car drives; it turns left.", "fps": 24, "duration": "7s"})
"""A structured prompt: NVIDIA's samples send theirs as JSON in a text, with `;` and quotes in it."""

PLAIN = {"use_resolution_template": False, "use_duration_template": False}
GUARDED = {**PLAIN, "guardrails": True}
CONTINUED = {**GUARDED, "condition_frame_indexes_vision": [0, 1], "condition_video_keep": "first"}
UNGUARDED = {"guardrails": False}
IN_ONE_CHUNK = {"resolution": "720", "num_video_frames_per_chunk": 121, "max_frames": 121}
CLIP_720 = {"size": "1280x720", "num_frames": "189", "fps": "24"}
STEPS = {"num_inference_steps": "35", "guidance_scale": "6.0", "flow_shift": "10.0"}
ACTING = {"num_inference_steps": "30", "guidance_scale": "1.0"}
AV_TASK = "You are an autonomous vehicle planning system."
PICK_TASK = "Pick up the object and place it in the target container."
TRAJECTORY = [[0.01 * step, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0] for step in range(60)]
"""As in av_traj_forward.json: translation, and six numbers of a rotation."""

JPEG = "first_frame.jpg;type=image/jpeg"
CLIP = "motion_clip.mp4;type=video/mp4"
DROID_PICTURE = "droid_policy_first_frame.png"
AV_CLIP = "cookbooks/cosmos3/generator/action/assets/videos/av_0.mp4"
DEPTH_CLIP = "cookbooks/cosmos3/generator/transfer/assets/depth/control_depth.mp4"

# vLLM-Omni: NVIDIA's README.

OMNI_T2V = Curl(
    "/v1/videos/sync",
    {"prompt": "A small warehouse robot moves a blue box across a clean floor.", "negative_prompt": NEGATIVE}
    | CLIP_720
    | STEPS
    | {"seed": "0"},
    GUARDED,
)
OMNI_V2V = Curl(
    "/v1/videos/sync",
    {
        "prompt": "Continue the same driving scene with smooth natural motion.",
        "negative_prompt": f"{NEGATIVE}, jittery, deformed",
        "size": "832x480",
        "num_frames": "61",
        "fps": "10",
        **STEPS,
        "seed": "2222",
    },
    CONTINUED,
    {"input_reference": f"{AV_CLIP};type=video/mp4"},
    accept="video/mp4",
)
OMNI_TRANSFER = Curl(
    "/v1/videos/sync",
    {
        "prompt": "A realistic street that follows the depth.",
        "negative_prompt": NEGATIVE,
        "size": "1280x720",
        "num_frames": "121",
        "fps": "30",
        "num_inference_steps": "50",
        "guidance_scale": "3.0",
        "flow_shift": "10.0",
        "seed": "2026",
    },
    {**GUARDED, "depth": {"control_path": DEPTH_CLIP}, "control_guidance": 1.5, **IN_ONE_CHUNK},
    accept="video/mp4",
)
OMNI_UNGUARDED = Curl("/v1/videos/sync", {"prompt": OMNI_T2V.fields["prompt"]}, {"guardrails": False, **PLAIN})
OMNI_T2I = Curl(
    "/v1/images/generations",
    {
        "prompt": CAPTION,
        "size": "1280x720",
        "n": 1,
        "num_inference_steps": 35,
        "guidance_scale": 6.0,
        "flow_shift": 10.0,
        "seed": 0,
    },
    {"use_resolution_template": False, "guardrails": True},
    is_json=True,
    extras="extra_args",
)

# vLLM-Omni: its own recipe, which gives texts with -F and names the model.

RECIPE = {"model": NANO, "prompt": "The scene goes on with smooth natural motion.", "negative_prompt": NEGATIVE}
LONG = {**CLIP_720, **STEPS, "max_sequence_length": "4096"}

RECIPE_T2I = Curl(
    "/v1/images/generations",
    RECIPE
    | {"size": "1024x1024", "n": 1, "response_format": "b64_json"}
    | {"num_inference_steps": 50, "guidance_scale": 7.0, "seed": 42},
    is_json=True,
)
RECIPE_T2V = Curl("/v1/videos/sync", RECIPE | LONG | {"seed": "123"}, GUARDED, accept="video/mp4", option="-F")
RECIPE_I2V = Curl(
    "/v1/videos/sync",
    RECIPE | LONG | {"seed": "1111"},
    GUARDED,
    {"input_reference": JPEG},
    accept="video/mp4",
    option="-F",
)
RECIPE_V2V = Curl(
    "/v1/videos/sync",
    RECIPE | LONG | {"seed": "2222"},
    CONTINUED,
    {"input_reference": CLIP},
    accept="video/mp4",
    option="-F",
)
RECIPE_V2V_BY_ADDRESS = Curl(
    "/v1/videos/sync",
    RECIPE | LONG | {"negative_prompt": "", "video_reference": '{"video_url":"https://example.com/reference.mp4"}'},
    {"condition_frame_indexes_vision": [0, 1], "condition_video_keep": "last"},
    accept="video/mp4",
    option="-F",
)
RECIPE_SOUND = Curl(
    "/v1/videos/sync",
    RECIPE | LONG | {"seed": "0", "generate_sound": "true", "sound_duration": "7.875"},
    GUARDED,
    accept="video/mp4",
    option="-F",
)
RECIPE_TRANSFER = Curl(
    "/v1/videos/sync",
    RECIPE | {"size": "1280x720", "num_frames": "121", "num_inference_steps": "50", "seed": "125"},
    {"depth": {"control_path": DEPTH_CLIP}, **IN_ONE_CHUNK},
    accept="video/mp4",
    option="-F",
)
RECIPE_TRANSFER_UPLOADED = Curl(
    "/v1/videos/sync",
    {"model": NANO, "prompt": "A realistic street that follows the map.", "control_type": "wsm"},
    {"wsm": {"control_weight": 1.0}, **IN_ONE_CHUNK},
    {"input_reference": CLIP, "control_reference": CLIP},
    accept="video/mp4",
    option="-F",
)
RECIPE_FD = Curl(
    "/v1/videos/sync",
    {"model": NANO, "prompt": AV_TASK, "size": "640x480", "num_frames": "61", "fps": "10"}
    | ACTING
    | {"flow_shift": "5.0", "seed": "0"},
    {
        "action_mode": "forward_dynamics",
        "domain_name": "av",
        "raw_action_dim": 9,
        "action_chunk_size": 60,
        "action": TRAJECTORY,
    },
    {"input_reference": JPEG},
    accept="video/mp4",
)
BRIDGE = {"domain_name": "bridge_orig_lerobot", "raw_action_dim": 10, "action_chunk_size": 16}
RECIPE_POLICY = Curl(
    "/v1/videos",
    {"model": NANO, "prompt": "Put the banana into the bowl.", "size": "640x480", "num_frames": "17", "fps": "5"}
    | ACTING
    | {"flow_shift": "5.0", "seed": "0"},
    {"action_mode": "policy", **BRIDGE},
    {"input_reference": JPEG},
    accept="application/json",
)
RECIPE_ID = Curl(
    "/v1/videos",
    RECIPE_POLICY.fields,
    {"action_mode": "inverse_dynamics", **BRIDGE},
    {"input_reference": CLIP},
    accept="application/json",
)

# SGLang: NVIDIA's samples and README.

SGLANG = {"prompt": CAPTION, "negative_prompt": NEGATIVE, **CLIP_720, **STEPS, "seed": "0"}
SOUND = {"generate_sound": "true", "sound_duration": "7.875"}

SGLANG_T2I = Curl(
    "/v1/images/generations",
    {**OMNI_T2I.fields, "negative_prompt": "", "max_sequence_length": 4096, "response_format": "b64_json"},
    OMNI_T2I.params,
    is_json=True,
)
SGLANG_T2V = Curl("/v1/videos", {**SGLANG, "max_sequence_length": "4096"}, GUARDED, accept="video/mp4")
SGLANG_SOUND = Curl("/v1/videos", SGLANG | SOUND, GUARDED, accept="video/mp4")
SGLANG_I2V = Curl("/v1/videos", SGLANG, GUARDED, {"input_reference": "first_frame.jpg"}, accept="video/mp4")
SGLANG_I2V_SOUND = Curl(
    "/v1/videos", SGLANG | SOUND, GUARDED, {"input_reference": "first_frame.jpg"}, accept="video/mp4"
)
SGLANG_V2V_SOUND = Curl("/v1/videos", SGLANG | SOUND, GUARDED, {"video_reference": CLIP}, accept="video/mp4")
SGLANG_README_T2V = Curl(
    "/v1/videos",
    OMNI_T2V.fields | {"num_frames": "81", "guidance_scale": "4.0", "seed": "42"},
    {"guardrails": True, **PLAIN},
)
SGLANG_README_V2V_SOUND = Curl(
    "/v1/videos",
    OMNI_T2V.fields
    | {"num_frames": "61", "num_inference_steps": "30", "guidance_scale": "4.0", "seed": "1234"}
    | {"generate_sound": "true"},
    GUARDED,
    {"video_reference": CLIP},
    accept="application/json",
)
SGLANG_FD = Curl(
    "/v1/videos",
    {"prompt": AV_TASK, "num_frames": "61", "fps": "10", "size": "832x480", **ACTING, "flow_shift": "10.0"}
    | {"seed": "0"},
    {
        "action_mode": "forward_dynamics",
        "domain_name": "av",
        "action_view_point": "ego_view",
        "action": TRAJECTORY,
        **UNGUARDED,
    },
    {"input_reference": "first_frame.jpg"},
)
SGLANG_ID = Curl(
    "/v1/actions/generations",
    {"prompt": AV_TASK, "num_frames": "61", "fps": "10", **ACTING, "flow_shift": "10.0", "seed": "0"},
    {
        "action_mode": "inverse_dynamics",
        "domain_name": "av",
        "action_view_point": "ego_view",
        "raw_action_dim": 9,
        **UNGUARDED,
    },
    {"input_reference": CLIP},
)
SGLANG_POLICY = Curl(
    "/v1/actions/generations",
    {"prompt": PICK_TASK, "num_frames": "17", "fps": "15", "size": "736x544", **ACTING, "flow_shift": "5.0"}
    | {"seed": "0"},
    {
        "action_mode": "policy",
        "domain_name": "droid_lerobot",
        "raw_action_dim": 10,
        "action_view_point": "concat_view",
        **UNGUARDED,
    },
    {"input_reference": DROID_PICTURE},
)
SGLANG_POLICY_OF_JOINTS = Curl(
    "/v1/actions/generations",
    {
        **{name: value for name, value in SGLANG_POLICY.fields.items() if name != "size"},
        "height": "544",
        "width": "736",
    },
    {
        **SGLANG_POLICY.params,
        "raw_action_dim": 8,
        "action_cinematography_framing": (
            "The top row is from the wrist-mounted camera. The bottom row contains two horizontally concatenated "
            "third-person perspective views of the scene from opposite sides, with the robot visible."
        ),
    },
    {"input_reference": DROID_PICTURE},
)
SGLANG_EDGE = Curl(
    "/v1/videos",
    {**OMNI_TRANSFER.fields, "prompt": CAPTION},
    {
        **PLAIN,
        "guardrails": False,
        "control_path": DEPTH_CLIP,
        "preset_edge_threshold": "medium",
        "control_hint": "edge",
        "control_guidance": 1.5,
        **IN_ONE_CHUNK,
        "num_conditional_frames": 1,
        "num_first_chunk_conditional_frames": 0,
        "share_vision_temporal_positions": True,
    },
    accept="video/mp4",
    is_json=True,
)
SGLANG_SEG = SGLANG_EDGE.small(
    {"preset_edge_threshold": None, "control_hint": "seg", "control_guidance": 2.0},
)
SGLANG_BLUR = SGLANG_EDGE.small(
    {"preset_edge_threshold": None, "preset_blur_strength": "medium", "control_hint": "blur"}, size="960x720"
)
