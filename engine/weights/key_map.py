"""Which tensor of the released layout becomes which parameter here: the one place that knows both names.

Official names stay as they are on disk. Our parameters fuse what is always used together:

    layers.3.self_attn.{to_q,to_k,to_v}.weight                    → reasoner.blocks.3.qkv.weight
    layers.3.self_attn.{norm_added_q,norm_added_k}.weight          → generator.blocks.3.qk_norm.weight, one row a head
    layers.3.mlp_moe_gen.{gate_proj,up_proj}.weight                → generator.blocks.3.feed_forward.up.weight

Names and shapes are those of diffusers' `Cosmos3OmniTransformer` (diffusers 0.42, `transformer_cosmos3.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.weights.config import ModelConfig


@dataclass(frozen=True)
class Source:
    """A tensor on disk.

    Attributes:
        heads: its one row is repeated for that many heads; 0 takes it as it is.
    """

    name: str
    shape: tuple[int, ...]
    heads: int = 0


@dataclass(frozen=True)
class Entry:
    """A parameter and the tensors that are stacked, in this order, along its first dimension.

    Attributes:
        target: the parameter.
        float32: it is computed with in float32 whatever the checkpoint's dtype.
    """

    target: str
    sources: tuple[Source, ...]
    float32: bool = False


@dataclass(frozen=True)
class _Tower:
    """How one tower's tensors are called within a layer."""

    target: str
    projections: tuple[str, str, str]
    out: str
    norms: tuple[str, str] | None
    suffix: str


REASONER_PROJECTIONS = ("to_q", "to_k", "to_v")
GENERATOR_PROJECTIONS = ("add_q_proj", "add_k_proj", "add_v_proj")


def key_map(config: ModelConfig) -> list[Entry]:
    """An entry for every tensor that a checkpoint of this shape has."""
    norms = ("norm_q", "norm_k") if config.qk_norm_for_text else None
    reasoner = _Tower("reasoner", REASONER_PROJECTIONS, "to_out", norms, "")
    generator = _Tower("generator", GENERATOR_PROJECTIONS, "to_add_out", ("norm_added_q", "norm_added_k"), "_moe_gen")
    entries = [
        entry
        for layer in range(config.num_hidden_layers)
        for tower in (reasoner, generator)
        for entry in _block(config, tower, layer)
    ]
    if config.keys_for_generator_are_normed:
        entries += [
            _as_it_is(
                f"reasoner.generator_k_norms.{i}.weight",
                f"layers.{i}.self_attn.k_norm_und_for_gen.weight",
                config.head_dim,
            )
            for i in range(config.num_hidden_layers)
        ]
    return [*entries, *_top(config), *_modalities(config)]


def _block(config: ModelConfig, tower: _Tower, layer: int) -> list[Entry]:
    hidden, inner, width = config.hidden_size, config.intermediate_size, config.head_dim
    heads, kv_heads = config.num_attention_heads, config.num_key_value_heads
    target, source = f"{tower.target}.blocks.{layer}.", f"layers.{layer}."
    q, k, v = (f"{source}self_attn.{name}.weight" for name in tower.projections)
    mlp = f"{source}mlp{tower.suffix}."
    up = [Source(f"{mlp}up_proj.weight", (inner, hidden))]
    if config.family == "qwen":
        up.insert(0, Source(f"{mlp}gate_proj.weight", (inner, hidden)))
    entries = [
        _as_it_is(f"{target}attention_norm.weight", f"{source}input_layernorm{tower.suffix}.weight", hidden),
        Entry(
            f"{target}qkv.weight",
            (
                Source(q, (heads * width, hidden)),
                Source(k, (kv_heads * width, hidden)),
                Source(v, (kv_heads * width, hidden)),
            ),
        ),
        _as_it_is(f"{target}out.weight", f"{source}self_attn.{tower.out}.weight", hidden, heads * width),
        _as_it_is(
            f"{target}feed_forward_norm.weight", f"{source}post_attention_layernorm{tower.suffix}.weight", hidden
        ),
        Entry(f"{target}feed_forward.up.weight", tuple(up)),
        _as_it_is(f"{target}feed_forward.down.weight", f"{mlp}down_proj.weight", hidden, inner),
    ]
    if tower.norms is not None:
        rows = zip(tower.norms, (heads, kv_heads), strict=True)
        sources = tuple(Source(f"{source}self_attn.{name}.weight", (width,), count) for name, count in rows)
        entries.append(Entry(f"{target}qk_norm.weight", sources))
    return entries


def _top(config: ModelConfig) -> list[Entry]:
    hidden, patch = config.hidden_size, config.patch_values
    embedder = [
        _as_it_is("generator.timesteps.first.weight", "time_embedder.linear_1.weight", hidden, 256),
        _as_it_is("generator.timesteps.first.bias", "time_embedder.linear_1.bias", hidden),
        _as_it_is("generator.timesteps.second.weight", "time_embedder.linear_2.weight", hidden, hidden),
        _as_it_is("generator.timesteps.second.bias", "time_embedder.linear_2.bias", hidden),
    ]
    return [
        _as_it_is("reasoner.embed_tokens.weight", "embed_tokens.weight", config.vocab_size, hidden),
        _as_it_is("reasoner.norm.weight", "norm.weight", hidden),
        _as_it_is("reasoner.head.weight", "lm_head.weight", config.vocab_size, hidden),
        _as_it_is("generator.norm.weight", "norm_moe_gen.weight", hidden),
        _as_it_is("generator.patch_in.weight", "proj_in.weight", hidden, patch),
        _as_it_is("generator.patch_in.bias", "proj_in.bias", hidden),
        _as_it_is("generator.patch_out.weight", "proj_out.weight", patch, hidden),
        _as_it_is("generator.patch_out.bias", "proj_out.bias", patch),
        *[Entry(entry.target, entry.sources, float32=True) for entry in embedder],
    ]


def _modalities(config: ModelConfig) -> list[Entry]:
    """What sound and actions go in and come out by."""
    hidden = config.hidden_size
    entries: list[Entry] = []
    if config.sound_gen:
        width = config.sound_dim or 0
        entries += [
            _as_it_is("generator.sound.embedding.weight", "audio_proj_in.weight", hidden, width),
            _as_it_is("generator.sound.embedding.bias", "audio_proj_in.bias", hidden),
            _as_it_is("generator.sound.reading.weight", "audio_proj_out.weight", width, hidden),
            _as_it_is("generator.sound.reading.bias", "audio_proj_out.bias", width),
            _as_it_is("generator.sound.modality", "audio_modality_embed", hidden),
        ]
    if config.action_gen:
        width, domains = config.action_dim or 0, config.num_embodiment_domains
        entries += [
            _as_it_is("generator.action.embedding", "action_proj_in.fc.weight", domains, width * hidden),
            _as_it_is("generator.action.embedding_bias", "action_proj_in.bias.weight", domains, hidden),
            _as_it_is("generator.action.reading", "action_proj_out.fc.weight", domains, width * hidden),
            _as_it_is("generator.action.reading_bias", "action_proj_out.bias.weight", domains, width),
            _as_it_is("generator.action.modality", "action_modality_embed", hidden),
        ]
    return entries


def _as_it_is(target: str, name: str, *shape: int) -> Entry:
    return Entry(target, (Source(name, shape),))
