"""Patterns of an adapter's configuration mean what they mean to PEFT, and take no time."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.adapters.adapter_file import AdapterConfig, read_adapter_config
from studio.errors import BadInput

quick = settings(max_examples=400, deadline=None, derandomize=True)
MODULE = "layers.13.self_attn.to_add_out"


def is_meant_by(pattern: str, module: str) -> bool:
    return AdapterConfig(rank_pattern={pattern: 7}).rank(module) == 7


def by_python(pattern: str, module: str) -> bool:
    return re.match(rf"(.*\.)?({pattern})$", module) is not None


@pytest.mark.parametrize(
    ("pattern", "is_meant"),
    [
        ("to_add_out", True),
        ("add_out", False),
        ("self_attn.to_add_out", True),
        (r"self_attn\.to_add_out", True),
        ("^layers.13.self_attn.to_add_out", True),
        ("^self_attn.to_add_out", False),
        (r"layers\.\d+\.self_attn\..*", True),
        (r"layers\.(1[0-9]|2\d)\.(?:.+\.)?to_\w+", True),
        (r"layers\.[02-9]{1,2}\..*", False),
        (".*to_q|.*add_out", True),
        (r"[^.]+", True),
        ("to_add_out$", True),
        ("", False),
    ],
)
def test_a_pattern_means_what_it_means_to_peft(pattern, is_meant):
    assert is_meant_by(pattern, MODULE) is by_python(pattern, MODULE) is is_meant


ATOMS = st.sampled_from(["a", "b", ".", r"\.", r"\d", r"\w", "[ab]", "[^a]", "[0-9.]", "^", "$"])
TIMES = st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,2}", "{0,}", "+?"])
RUNS = st.tuples(ATOMS, TIMES).map(lambda both: both[0] if both[0] in ("^", "$") else "".join(both))
PATTERNS = st.recursive(
    st.lists(RUNS, max_size=4).map("".join),
    lambda inner: st.builds("{}({}|{}){}".format, inner, inner, inner, st.sampled_from(["", "?"])),
    max_leaves=4,
)


@quick
@given(pattern=PATTERNS, module=st.text("ab1.", max_size=7))
def test_any_pattern_that_is_read_means_what_python_says(pattern, module):
    assert is_meant_by(pattern, module) == by_python(pattern, module)


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"(a)\1", "(?=a)b", "(?<!a)b", "(a", "a)", "a)|(?:b", "[a", "a**", "a*+", "*a", "a{2,1}", "[z-a]"),
        "((a{99}){99}){99}",
    ],
)
@pytest.mark.parametrize("field", ["rank_pattern", "alpha_pattern"])
def test_what_is_not_read_is_refused_by_name(tmp_path, field, pattern):
    with pytest.raises(BadInput, match="not a supported expression") as raised:
        read(tmp_path, **{field: {"to_q": 4, pattern: 4}})
    assert raised.value.param == "adapter.name"


def read(folder, **fields) -> AdapterConfig:
    file = folder / "adapter_model.safetensors"
    (folder / "adapter_config.json").write_text(AdapterConfig.model_validate(fields).model_dump_json())
    return read_adapter_config(file, {})


@pytest.mark.parametrize(
    "pattern", [".*" * 60, "(.|.)" * 25, "(.?|.*.)" * 14, r"\w{1,99}" * 14, "(a?)?" * 25, r"(([a-z_.0-9])+)+", "(.+)*"]
)
def test_patterns_that_keep_python_busy_for_ever_are_matched_at_once(pattern):
    names = [f"layers.{index}.self_attn.to_add_out_of_a_rather_long_name" for index in range(100)]
    config = AdapterConfig(rank_pattern={pattern + "X": 7})
    start = time.thread_time()
    assert not any(config.rank(name) for name in names)
    assert time.thread_time() - start < 1


def test_a_rank_for_every_module_of_the_largest_checkpoint_is_found_quickly(tmp_path):
    modules = [f"layers.{layer}.{part}.to_q" for layer in range(64) for part in ("self_attn", "mlp", "cross")]
    config = read(tmp_path, r=4, rank_pattern={f"^{module}": index + 1 for index, module in enumerate(modules)})
    start = time.thread_time()
    assert [config.rank(module) for module in modules] == list(range(1, len(modules) + 1))
    assert config.rank("proj_in") == 4
    assert time.thread_time() - start < 2


def test_more_patterns_than_are_looked_through_quickly_are_refused(tmp_path):
    with pytest.raises(BadInput, match="1,025 patterns; the maximum is 1,024"):
        read(tmp_path, rank_pattern={f"layer_{index}": 1 for index in range(1025)})
