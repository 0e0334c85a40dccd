"""The engine: a checkpoint in memory, and requests denoised on it step by step."""

from __future__ import annotations

import gc
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import nn

from engine.adapters import LoraAdapters
from engine.codecs import Codecs, Result
from engine.device import SMALL_PICTURE_PIXELS, Threads, pick_device, pick_dtype, typed_out_of_memory
from engine.memory import Budget, Peers, move_weights
from engine.parallel import Leader
from engine.planning import Media, Plan, Plannable, Setting, plan, read_setting
from engine.reasoner import Chat, Conversation, Footage
from engine.sampling import PrefixStore, Trajectory, denoise, next_steps, prepare
from engine.tower_loading import load_towers
from engine.towers import OmniModel, Precision
from engine.vae import ClipCoder, PictureDecoder, Sketch, SoundDecoder, fit_sketch, read_sound, read_vae
from engine.weights import open_folder
from studio.requests.reason import Reason


class Engine:
    """One checkpoint on one device. Not thread-safe: it belongs to one thread of one process.

    A request is `begin`, then `step` until it is `done`, then `finish`. Between steps the caller may drop it (cancel),
    look at it (`preview`) or finish early and keep what there is.

    Attributes:
        leader: moves and decodes what several ranks share; none where this process is alone.
    """

    def __init__(
        self,
        model: OmniModel,
        setting: Setting,
        decoder: PictureDecoder,
        sound: SoundDecoder | None,
        sketch: Sketch,
        threads: Threads,
        chat: Chat,
    ) -> None:
        self.model = model
        self.setting = setting
        self.decoder = decoder
        self.coder = ClipCoder(decoder.vae)
        self.sound = sound
        self.sketch = sketch
        self.budget = Budget(model, decoder.width)
        self.codecs = Codecs(decoder, self.coder, sound, sketch, threads, model.device, self.budget)
        self.prefixes = PrefixStore(model)
        self.adapters = LoraAdapters(model)
        self.threads = threads
        self.chat = chat
        self.leader: Leader | None = None
        self._place = model.device

    @classmethod
    def load(
        cls,
        folder: Path,
        *,
        device: str = "auto",
        dtype: torch.dtype | None = None,
        precision: Precision = "exact",
        compiled: bool | None = None,
        offload: bool = False,
        peers: Peers | None = None,
    ) -> Engine:
        """Read a checkpoint of the released layout.

        On a CPU the engine sets the number of threads of the whole process as it goes (`engine.device.Threads`).

        Args:
            device: as PyTorch names it, or "auto".
            dtype: what to compute in; none is float32 on a CPU and the checkpoint's own on a GPU.
            precision: "fp8" rounds the generator's matrices, or takes them as they are stored in FP8, and rounds their
                inputs but in the first and last steps; "fp8-attention" lets long sequences attend in FP8 too, but in
                the same steps. "exact" widens what is stored in FP8.
            compiled: compile the generator at its first step; none does so on a GPU.
            offload: keep the blocks of both towers on the host, and bring each to the device when its turn comes.
            peers: divide the blocks' weights among them; each loads the same checkpoint at the same time.

        Raises:
            NotACheckpoint: the folder has another layout, or weights quantised in a way that is not read.
            BrokenCheckpoint: a file cannot be read, or a tensor is unknown, missing or of the wrong shape.
            OutOfMemory: it does not fit.
            BadInput: there is no such device, or it cannot attend in FP8.
        """
        place = pick_device(device)
        opened = open_folder(folder)
        kind = dtype or pick_dtype(place, opened.dtype)
        setting = read_setting(opened)
        with typed_out_of_memory(place), torch.inference_mode():
            model = load_towers(
                opened, place, kind, precision=precision, compiled=compiled, offload=offload, peers=peers
            )
            decoder = read_vae(folder / "vae", place, kind)
            sound = read_sound(folder / "sound_tokenizer", place, kind) if setting.sound_clock else None
            threads = Threads.of(place, sum(weight.numel() for weight in model.parameters()))
            threads.for_decode(num_pixels=SMALL_PICTURE_PIXELS)
            sketch = fit_sketch(decoder)
            chat = Chat.load(folder, model, setting.prompts.tokenizer)
        return cls(model, setting, decoder, sound, sketch, threads, chat)

    @property
    def is_whole(self) -> bool:
        """Whether it is of any use: not any more when a step has broken off that several ranks shared."""
        return self.leader is None or self.leader.is_whole

    def describe(self) -> str:
        """Precision and weights in one line, as in "bfloat16 · 34.9 GB" or "float32 · 5 MB"."""
        weights = [*self.model.parameters(), *self.codecs.weights()]
        if self.chat.vision is not None:
            weights += self.chat.vision.parameters()
        size_bytes = sum(weight.numel() * weight.element_size() for weight in weights)
        size = f"{size_bytes / 1e9:.1f} GB" if size_bytes >= 1e9 else f"{size_bytes / 1e6:.0f} MB"
        generator = self.model.generator
        kind = generator.precision if generator.is_quantised else str(self.model.dtype).removeprefix("torch.")
        return f"{kind} · {size}"

    @property
    def can_sleep(self) -> bool:
        """Whether there is a device that its weights can leave for the host: a GPU that it has for itself."""
        return self.model.device.type == "cuda" and self.leader is None and not self.model.generator.streams

    @torch.inference_mode()
    def sleep(self) -> None:
        """Move all weights to the host. Nothing may be begun, and nothing may be asked until it is awake."""
        assert self.can_sleep
        self._place = self.model.device
        self.use_adapter(None)
        self.prefixes.forget()
        self.chat.forget()
        self.model.generator.forget()
        move_weights(self._modules(), torch.device("cpu"))
        gc.collect()  # recordings hold one another
        torch.cuda.empty_cache()

    @torch.inference_mode()
    def wake(self) -> None:
        """Bring the weights back.

        Raises:
            OutOfMemory: they do not fit any more; it sleeps on.
        """
        with typed_out_of_memory(self._place, lambda: "Unload another checkpoint, and try again."):
            try:
                move_weights(self._modules(), self._place)
                self.chat.record()
            except RuntimeError:
                move_weights(self._modules(), torch.device("cpu"))
                raise

    def _modules(self) -> list[nn.Module]:
        vision = [] if self.chat.vision is None else [self.chat.vision]
        return [self.model, *self.codecs.modules(), *vision]

    @torch.inference_mode()
    def use_adapter(self, path: Path | None, scale: float = 1.0) -> None:
        """Use a LoRA adapter in place of the active one, or none; cheap when nothing changes.

        A request is begun and stepped with the same adapter. Without one, and at a scale of 0, every result is to
        the bit what it was before.

        Args:
            path: a safetensors file, or a folder with one, as diffusers and PEFT write them.

        Raises:
            BadInput: there is no such adapter, it is no LoRA of linear layers, or it fits another checkpoint.
            BrokenCheckpoint: its file is cut short.
            OutOfMemory: see `load`. After any of them the adapter before is still in use.
        """
        with typed_out_of_memory(self.model.device):
            self.adapters.use(path, scale)
        self.prefixes.adapter = self.model.generator.kv_buffers.adapter = self.adapters.active
        if self.leader is not None:
            self.leader.use_adapter(path, scale, self.adapters.active)

    @torch.inference_mode()
    def begin(self, request: Plannable, media: Mapping[str, np.ndarray] | None = None) -> Trajectory:
        """Plan a request of count 1, encode what it is given, read its prompts and draw its noise.

        Args:
            media: uint8 [T, height, width, 3] by the request's field ("start_image", "source_video") or the control's
                hint ("edge"), at the request's frame rate and on its canvas; of any size where there are actions. A
                picture is one frame.

        Raises:
            PromptTooLong: the message says how many tokens came.
            NotAllowed: this checkpoint cannot do it.
            OutOfMemory: see `load`.
        """
        return self.start(plan(request, self.setting, Media(media or {}, self.codecs.encode)))

    @torch.inference_mode()
    def start(self, plan: Plan) -> Trajectory:
        """Begin a plan.

        Raises:
            OutOfMemory: see `load`.
        """
        self.threads.for_step(sum(len(branch.tokens) for branch in plan.branches))
        with typed_out_of_memory(self.model.device):
            prepared = partial(prepare, self.model, self.prefixes, plan)
            return prepared() if self.leader is None else self.leader.begin(plan, prepared)

    @torch.inference_mode()
    def forget_prompts(self) -> None:
        """Give up all prompts that were read, on every rank."""
        self.prefixes.clear()
        if self.leader is not None:
            self.leader.forget_prompts()

    @torch.inference_mode()
    def step(self, trajectories: Sequence[Trajectory]) -> None:
        """One denoising step for each of them, packed in one pass. None of them may be done.

        The first step of a later chunk of a long clip decodes the chunk before it too.

        Raises:
            OutOfMemory: see `load`; no trajectory has moved, and the hint says which sizes would fit.
        """
        assert trajectories
        assert not any(trajectory.done for trajectory in trajectories)
        assert all(trajectory.adapter == self.adapters.active for trajectory in trajectories)
        for trajectory in trajectories:
            if trajectory.awaits_chunk:
                self._go_on(trajectory)
        self.threads.for_step(sum(trajectory.num_tokens for trajectory in trajectories))
        plans = [trajectory.plan for trajectory in trajectories]
        with typed_out_of_memory(self.model.device, partial(self.budget.advise_on_step, plans)):
            if self.leader is not None:
                self.leader.denoise(trajectories)
            else:
                denoise(self.model, next_steps(trajectories))

    @torch.inference_mode()
    def preview(self, trajectory: Trajectory) -> np.ndarray:
        """A sketch of what is now estimated: uint8 [height, width, 3], a quarter as wide; of a clip four on a sheet."""
        return self.codecs.preview(trajectory)

    @torch.inference_mode()
    def finish(self, trajectory: Trajectory) -> Result:
        """Decode a trajectory; one that is not done gives its result as now estimated.

        A clip's frames are decoded while they are taken from the result: neither a later step nor a later `finish`
        disturbs them.

        Raises:
            EngineError: it came to values that are not finite; the message says of what.
            OutOfMemory: see `step`.
        """
        return self.codecs.result(trajectory, self.leader)

    def choose_frames(self, num_frames: int, fps: float, request: Reason) -> tuple[int, ...]:
        """Indexes of the frames that `converse` wants of a clip of `num_frames` at `fps`, rising."""
        return self.chat.choose_frames(num_frames, fps, request)

    @torch.inference_mode()
    def converse(self, request: Reason, media: Mapping[str, Footage] | None = None) -> Conversation:
        """Begin an answer: the prompt is put together here and read by the first calls of `decode`.

        Args:
            media: pictures and chosen frames by the request's media ids.

        Raises:
            PromptTooLong: the prompt leaves no room for an answer in the checkpoint's context.
            NotAllowed: something is shown to a checkpoint without a vision encoder.
            BadInput: a picture cannot be looked at, or the schema cannot be answered within what it may have.
            OutOfMemory: see `load`.
        """
        with typed_out_of_memory(self.model.device):
            return self.chat.begin(request, media or {}, self.adapters.active)

    @torch.inference_mode()
    def decode(self, conversations: Sequence[Conversation]) -> None:
        """One token of each answer, all in one pass; and of prompts that are not read yet, the next 1,024 tokens.

        A conversation gets its first token in the call that ends its prompt. None may be done, and all were begun with
        the active adapter. One whose schema turns out to be too much is done with a `failure`; the others never notice.

        Raises:
            OutOfMemory: see `load`; the call may be made again.
        """
        assert conversations
        assert all(not entry.done and entry.adapter == self.adapters.active for entry in conversations)
        self.threads.for_step(self.chat.num_tokens(conversations))
        with typed_out_of_memory(self.model.device):
            self.chat.advance(conversations)

    def _go_on(self, trajectory: Trajectory) -> None:
        """Begin the next chunk of a long clip with the end of this one."""
        continuation = trajectory.plan.continuation
        assert continuation is not None
        tail = torch.empty(0)
        for piece in self.codecs.pieces(trajectory.plan, trajectory.chunks()[-1], self.leader):
            tail = torch.cat([tail, piece], 1)[:, -continuation.num_tail_frames :] if len(tail) else piece
        following = continuation.plan(tail[:, -continuation.num_tail_frames :].transpose(0, 1))
        prepared = partial(prepare, self.model, self.prefixes, following, trajectory.noise)
        with typed_out_of_memory(self.model.device):
            if self.leader is None:
                trajectory.go_on(prepared())
            else:
                self.leader.go_on(trajectory, following, prepared)
