"""`python -m tuning` as a script of it: losses fall by rule, and saves are whole adapters or copies of the checkpoint.

SCRIPTED_STEP_S says how long a step takes. A data set with a file `fault.txt` makes it refuse at the step in it, and
one with `die.txt` makes it end there without a word, once.
"""

import json
import os
import queue
import shutil
import sys
import threading
import time

import numpy as np
from PIL import Image
from pydantic import BaseModel
from safetensors.numpy import save_file

from studio.evaluation import Answer, Benchmark, Item
from studio.evaluation.episodes import TABLE, EpisodeResult
from studio.jobs import Failure
from studio.tuning import (
    Checked,
    DataReport,
    Ended,
    MemoryEstimate,
    Preparing,
    Refused,
    Saved,
    Stepped,
    Trials,
    TrialsBegun,
    Tried,
    TuningWork,
)
from studio.tuning.events import Bin, LeftOut, TrainingSample
from studio.tuning.lineage import DEFAULTS

STEP_S = float(os.environ.get("SCRIPTED_STEP_S", "0.01"))


def tell(event: BaseModel) -> None:
    sys.stdout.write(event.model_dump_json() + "\n")
    sys.stdout.flush()


def report(work: TuningWork) -> DataReport:
    (work.out / "samples").mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (96, 32), (200, 60, 40)).save(work.out / "samples/0.png")
    files = [path for folder in work.data.values() for path in folder.rglob("*") if path.is_file()]
    return DataReport(
        num_kept=len(files),
        dropped=(
            LeftOut(
                reason="window_too_short",
                message="2 windows have fewer than 17 frames.",
                count=2,
                examples=("a.mp4 0–8", "b.mp4 0–4"),
            ),
        ),
        tokens=tuple(
            Bin(low=low, high=low + 100, count=max(0, 8 - abs(low - 400) // 100)) for low in range(0, 900, 100)
        ),
        samples=(
            TrainingSample(
                name="a.mp4 0–16",
                mode="t2v",
                text='<|im_start|>user\n{"temporal_caption": "A red cup falls."}<|im_end|>',
                picture="samples/0.png",
                num_tokens=401,
                facts=(("canvas", "256×256"), ("frames", "17"), ("fps", "10")),
            ),
            TrainingSample(name="b.mp4 0–16", mode="i2v", text="A blue cup stands.", num_tokens=389),
            TrainingSample(name="c.mp4 0–16", mode="v2v", text="A cup turns.", num_tokens=377),
        ),
        num_trained=123_456,
        memory=MemoryEstimate(
            weights=400_000_000, optimiser=20_000_000, activations=900_000_000, total=1_500_000_000, available=4 * 10**9
        ),
    )


def save(work: TuningWork, step: int) -> None:
    recipe = work.recipe
    folder = f"saves/{recipe.name}@{step}"
    place, part = work.out / folder, work.out / "saves" / f".{step}.part"
    shutil.rmtree(part, ignore_errors=True)
    if recipe.makes == "checkpoint":
        shutil.copytree(work.checkpoint, part)
        if recipe.task == "policy":
            asked = {"embodiment": recipe.embodiment, "fps": 15.0}
            (part / DEFAULTS).write_text(json.dumps({"run_policy": asked}))
    else:
        part.mkdir(parents=True)
        config = json.loads((work.checkpoint / "transformer/config.json").read_text())
        width, rows = config["hidden_size"], config["num_attention_heads"] * config["head_dim"]
        random = np.random.default_rng(step)
        name = "base_model.model.layers.0.self_attn.add_q_proj"
        tensors = {
            f"{name}.lora_A.weight": random.normal(size=(4, width)).astype(np.float32),
            f"{name}.lora_B.weight": random.normal(scale=step / 1000, size=(rows, 4)).astype(np.float32),
        }
        save_file(tensors, part / "adapter_model.safetensors")
        (part / "adapter_config.json").write_text(json.dumps({"r": 4, "lora_alpha": 8, "peft_type": "LORA"}))
    shutil.rmtree(place, ignore_errors=True)
    part.rename(place)
    state = work.out / "state"
    state.mkdir(exist_ok=True)
    (state / "step").write_text(str(step))
    size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
    tell(Saved(step=step, folder=folder, makes=recipe.makes, size_bytes=size))


def try_save(trials: Trials) -> None:
    """Every second table is a success."""
    items = tuple(
        Item(id=f"{TABLE}/default/{number}", question="pick it up", category="default")
        for number in range(trials.scenes)
    )
    benchmark = Benchmark(name=TABLE, title="Table", form="policy", items=items)
    tell(TrialsBegun(benchmark=benchmark.model_dump(mode="json")))
    for number, item in enumerate(items):
        result = EpisodeResult(success=number % 2 == 0, seconds=1.0)
        answer = Answer(item=item.id, text=result.to_text(), seconds=1.0)
        tell(Tried(answer=answer.model_dump(mode="json")))
    tell(Ended(step=trials.scenes, is_whole=True))


def fault_at(work: TuningWork, name: str) -> int | None:
    found = next((folder / name for folder in work.data.values() if (folder / name).is_file()), None)
    return int(found.read_text()) if found else None


def main() -> int:
    work = TuningWork.model_validate_json(sys.stdin.readline())
    said: queue.SimpleQueue[str] = queue.SimpleQueue()

    def listen() -> None:
        for line in sys.stdin:
            said.put(line.strip())
        said.put("stop")

    threading.Thread(target=listen, daemon=True).start()
    if work.trials is not None:
        try_save(work.trials)
        return 0
    work.out.mkdir(parents=True, exist_ok=True)
    tell(Checked(report=report(work)))
    if work.only_checks:
        return 0
    for done in range(4):
        tell(Preparing(doing="Encoding clips", done=done + 1, total=4))
        time.sleep(STEP_S)
    options = work.recipe.optimisation
    state = work.out / "state/step"
    step = int(state.read_text()) if state.is_file() else 0
    faulty, dying = fault_at(work, "fault.txt"), fault_at(work, "die.txt")
    while step < options.steps:
        step += 1
        time.sleep(STEP_S)
        if step == faulty:
            message = f"The loss of {next(iter(work.data.values()))}/videos/a.mp4 is not a number at step {step}."
            tell(Refused(error=Failure(code="engine_failed", message=message, type="engine_error", hint="Remove it.")))
            return 1
        if step == dying and not (work.out / "died").exists():
            (work.out / "died").touch()
            sys.stderr.write("Segmentation fault\n")
            return 139
        loss = 1.2 * 0.98**step + 0.2
        levels = tuple(None if at == 0 else loss * (0.5 + at / 10) for at in range(10))
        tell(
            Stepped(
                step=step,
                steps=options.steps,
                loss=loss,
                losses={"vision": loss, "t2v_vision": loss * 1.1, "i2v_vision": loss * 0.9},
                by_noise={"vision": levels},
                gradient_norm=0.4,
                learning_rate=options.learning_rate,
                seconds_per_step=STEP_S,
            )
        )
        words = [said.get() for _ in range(said.qsize())]
        if step % options.save_every == 0 or step == options.steps or words:
            save(work, step)
        if "stop" in words:
            tell(Ended(step=step, is_whole=False))
            return 0
    tell(Ended(step=step, is_whole=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
