"""Checkpoints that are released in FP8: what their configuration says of it, and what lies beside their weights.

NVIDIA's FP8 revisions are written by ModelOpt. `transformer/config.json` has a `quantization_config`, and beside a
matrix `<module>.weight` in e4m3 lie

    <module>.weight_scale          one for the tensor, or one for each output: `weight * weight_scale` was rounded
    <module>.input_scale           one for all inputs that calibration saw: the largest of them / 448
    <module>.weight_quantizer._*   the same numbers again, by the names of ModelOpt's own loader;
    <module>.input_quantizer._*    likewise

The matrices of both towers' blocks are stored so. Modules on the list `ignore` are in bfloat16 as ever and have nothing
beside them; the list itself is not read, since what a tensor is stored in says the same.

Only the weights' scales are read. Inputs are rounded with a scale for each token, measured as it passes, in place of
the static one: it cannot be too small for what calibration has not seen, it is finer, and the kernels take it for
nothing. The reasoner's matrices are widened, as the released recipe has them computed (`"reasoner": "a16"`).

NVIDIA's exporter writes no more. A model that ModelOpt saved as it was has the ranges of its other quantizers too:

    <module>.output_quantizer._*      of a matrix's results
    <attention>.q_bmm_quantizer._*    of what attention multiplies; k and v likewise, `softmax_quantizer` and
                                      `bmm2_output_quantizer`
    <attention>.k_proj.k_scale        of K as a cache in FP8 keeps it, as unified exports name it; V likewise

These say how a value is rounded that is not rounded here: left out they make a result finer, never another one, and are
ignored. What changes the sum itself is never ignored: inputs that are multiplied before (`pre_quant_scale`), second
scales (`weight_scale_2`), shifts (`_bias_value`), and whatever else lies beside a matrix in FP8.

Sources: cosmos-framework, `Fp8DiffusersExporter`; diffusers 0.42, `pipelines/cosmos/mixed_precision.py`; ModelOpt's
documentation, "Unified HuggingFace Checkpoint", its `quant_utils.postprocess_state_dict` and its plugin for diffusers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from studio.checkpoints import read_json
from studio.errors import BrokenCheckpoint, NotACheckpoint

FP8 = "F8_E4M3"
"""Its name in a safetensors header."""

METHOD = "modelopt"

ALGORITHMS = ("FP8", "FP8_PER_CHANNEL_PER_TOKEN")
"""Of ModelOpt's, those with a scale for each tensor or each output."""

INSTEAD = "Use the bfloat16 revision; --precision fp8 quantizes it while loading."
"""What helps where a checkpoint is quantised in a way that is not read."""

_BESIDE_MATRIX = re.compile(r"(.+)\.(?:weight_scale|input_scale|(?:weight|input|output)_quantizer\._(?:amax|scale))")

_BESIDE_ATTENTION = re.compile(
    r"(.+\.self_attn)\."
    r"(?:(?:[qkv]_bmm|softmax|bmm2_output)_quantizer\._(?:amax|scale)"
    r"|(?:to_k|k_proj|add_k_proj)\.k_scale|(?:to_v|v_proj|add_v_proj)\.v_scale)"
)

_FIELD = "quantization_config.runtime.diffusion_step_policy"


class _End(BaseModel):
    model_config = ConfigDict(extra="ignore")

    count: int = Field(ge=0, strict=True)
    mode: Literal["a16", "native"]


class _StepPolicy(BaseModel):
    """Every field is needed, and one that says something else is not guessed at."""

    model_config = ConfigDict(extra="ignore")

    schema_version: Literal[1]
    type: Literal["first_last_n"]
    index_space: Literal["denoising_loop_iteration"]
    scope: tuple[Literal["transformer"]]
    default_mode: Literal["native"]
    first_steps: _End
    last_steps: _End
    overlap: Literal["a16", "native"]
    reasoner: Literal["a16", "native"]


def read_precise_steps(path: Path) -> PreciseSteps | None:
    """The recipe of a checkpoint that is stored in FP8, from its transformer's configuration; none of any other.

    One without a recipe, as the distilled ones, has no precise steps at all.

    Raises:
        NotACheckpoint: it is quantised in a way that is not read here.
        BrokenCheckpoint: its recipe says something unknown.
    """
    told = read_json(path).get("quantization_config")
    if told is None:
        return None
    config = _object(told, path, "quantization_config")
    method, algorithm = config.get("quant_method"), config.get("quant_algo")
    if method != METHOD or algorithm not in ALGORITHMS:
        raise NotACheckpoint(
            f"{path.parent} is quantized by {method!r} to {algorithm!r}; only {METHOD!r} with "
            f"{' or '.join(map(repr, ALGORITHMS))} is supported.",
            param="checkpoint",
            hint=INSTEAD,
        )
    runtime = _object(config.get("runtime") or {}, path, "quantization_config.runtime")
    policy = runtime.get("diffusion_step_policy")
    return PreciseSteps(0, 0) if policy is None else _precise_steps(_object(policy, path, _FIELD), path)


def _precise_steps(raw: Mapping[str, Any], path: Path) -> PreciseSteps:
    try:
        policy = _StepPolicy.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join([_FIELD, *(str(part) for part in first["loc"])])
        raise BrokenCheckpoint(f"{path}: {field} is invalid: {first['msg']}.", param="checkpoint") from None
    first, last = (end.count if end.mode == "a16" else 0 for end in (policy.first_steps, policy.last_steps))
    return PreciseSteps(first, last, one_in=1, where_both=policy.overlap == "a16")


def _object(value: object, path: Path, field: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BrokenCheckpoint(f"{path}: {field} is not a JSON object.", param="checkpoint")
    return cast(dict[str, Any], value)


def fp8_names(headers: Mapping[str, Mapping[str, Any]]) -> frozenset[str]:
    """The tensors that are stored in FP8, by the headers of a transformer's shards."""
    return frozenset(name for name, header in headers.items() if header.get("dtype") == FP8)


def scale_name(weight: str) -> str:
    """ "layers.0.mlp.up_proj.weight" → "layers.0.mlp.up_proj.weight_scale"."""
    return f"{weight.removesuffix('.weight')}.weight_scale"


def scale_shapes(num_outputs: int) -> tuple[tuple[int, ...], ...]:
    """Shapes of one scale for a matrix, and of one for each of its outputs."""
    return (), (1,), (num_outputs,), (num_outputs, 1)


def names_beside(headers: Mapping[str, Mapping[str, Any]]) -> frozenset[str]:
    """What lies beside weights that are stored in FP8 and is either read or ignored; nothing where none is."""
    matrices = {name.removesuffix(".weight") for name in fp8_names(headers)}
    if not matrices:
        return frozenset()
    attentions = {name.rsplit(".", 2)[0] for name in headers if name.endswith(".weight")}
    places = ((_BESIDE_MATRIX, matrices), (_BESIDE_ATTENTION, attentions))
    return frozenset(
        name
        for name in headers
        if any((found := pattern.fullmatch(name)) and found[1] in modules for pattern, modules in places)
    )


def changes_a_sum(name: str, headers: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether an unknown tensor tells of a way to quantise in which other sums are made than are made here.

    Args:
        headers: of the transformer's shards, by name.
    """
    matrices = tuple(weight.removesuffix("weight") for weight in fp8_names(headers))
    return bool(matrices) and (name.startswith(matrices) or "_quantizer." in name)


def check_told(headers: Mapping[str, Mapping[str, Any]], where: Path, *, is_told: bool) -> None:
    """Check that a transformer's configuration and its shards agree on whether it is stored in FP8.

    Args:
        where: the transformer's folder.
        is_told: its configuration says so.

    Raises:
        BrokenCheckpoint: they do not.
    """
    names = fp8_names(headers)
    if bool(names) == is_told:
        return
    said = "says FP8, and no tensor is stored in it" if is_told else f"says nothing of FP8, and {min(names)} is in it"
    raise BrokenCheckpoint(
        f"{where / 'config.json'} {said}.",
        param="checkpoint",
        hint="The weights and config.json do not belong to the same model.",
    )


def check_scales(headers: Mapping[str, Mapping[str, Any]], where: Path) -> None:
    """Check that everything in FP8 is a matrix with its scale.

    Raises:
        BrokenCheckpoint: a scale is missing, or has no shape of one.
    """
    for name in sorted(fp8_names(headers)):
        scale, shape = headers.get(scale_name(name)), headers[name]["shape"]
        if scale is None:
            raise BrokenCheckpoint(
                f"{where}: {name} is stored in FP8 without {scale_name(name)}.",
                param="checkpoint",
                hint="Pull it again.",
            )
        if len(shape) != 2 or tuple(scale["shape"]) not in scale_shapes(shape[0]):
            raise BrokenCheckpoint(
                f"{where}: {scale_name(name)} of the shape {tuple(scale['shape'])} is neither one scale nor one for "
                f"each output of {name}, {tuple(shape)}.",
                param="checkpoint",
            )


@dataclass(frozen=True)
class PreciseSteps:
    """The steps at either end of a run, which decide the composition and the finest detail, on matrices in FP8.

    The defaults are for weights that are rounded here: three at either end, as in NVIDIA's own recipe, and never more
    than a tenth of the run, so that one of four steps has none. A released FP8 checkpoint says its own numbers.

    Attributes:
        first, last: at the start and at the end, at most.
        one_in: either end is at most one in so many steps of the run.
        where_both: whether a step that belongs to both ends is one of them.
    """

    first: int = 3
    last: int = 3
    one_in: int = 10
    where_both: bool = True

    def holds(self, index: int, num_steps: int) -> bool:
        """Whether the step `index`, counted from 0, of a run of `num_steps` is one. A run of one step has none."""
        if num_steps == 1:
            return False
        longest = num_steps // self.one_in
        is_first = index < min(self.first, longest)
        is_last = index >= num_steps - min(self.last, longest)
        return self.where_both if is_first and is_last else is_first or is_last
