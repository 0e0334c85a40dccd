"""What a start takes: from an empty process to a loaded checkpoint and its first image; and what the server adds.

python -m engine.bench --start [--served] [--folder DIR] [--engines exact,fp8] [--json FILE]

On a GPU the checkpoint is of Nano's shape with random weights, written to the disk first; on a CPU it is speck. With
--folder it is written there and stays, and is read where it is there already. Each start is a process of its own: with
no kernels kept from before, with those kept, and with the checkpoint's files out of the page cache too.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

import httpx
import torch
from diffusers.models.autoencoders.autoencoder_kl_wan import AutoencoderKLWan

from engine.bench.cases import GUIDED
from engine.bench.measuring import write_clip
from engine.bench.stage import NANO, WAN_VAE, build_random, library_transformer
from engine.engine import Engine
from engine.planning import Plannable
from engine.speck import build_speck
from engine.towers import Precision
from engine.weights import ModelConfig
from studio.checkpoints import read_json
from studio.png import write_png
from studio.requests import parse_request

WORDS = {"prompt": "A robot arm above a red cube on a wooden table.", "negative_prompt": "blurred"}

POLL_S = 0.01

READY_S = 600

JOB_S = 600


def requests(num_steps: int, *, small: bool) -> dict[str, dict[str, Any]]:
    """What is asked for in the engine and of the server, by name."""
    sampling = GUIDED | {"num_inference_steps": num_steps}
    picture = WORDS | {"kind": "generate_image", "aspect_ratio": "16:9", "sampling": sampling}
    clip = picture | {"kind": "generate_video", "num_frames": 5 if small else 189, "resolution": "256"}
    asked = {"t2i-256": picture | {"resolution": "256"}, "t2v-256": clip}
    return asked if small else asked | {"t2i-720": picture | {"resolution": "720"}}


@dataclass(frozen=True)
class Start:
    """One start; seconds since the process was begun, but of `next_s`, which is a picture's own.

    Attributes:
        kernels: "none" kept from an earlier process, or "kept".
        files: of the checkpoint, in the page "cache" or on the "disk".
        imported_s: libraries and the engine are imported.
        ready_s: the checkpoint is loaded.
        first_s: the first picture is in its file.
    """

    engine: str
    kernels: str
    files: str
    imported_s: float
    ready_s: float
    first_s: float
    next_s: float


@dataclass(frozen=True)
class Served:
    """One case in the engine and through the server, which have the same checkpoint.

    Attributes:
        engine_s: from the request to the file.
        served_s: from when the server had the request to when the job had succeeded.
    """

    case: str
    engine: str
    engine_s: float
    served_s: float


def add_options(parser: argparse.ArgumentParser) -> None:
    """What only starts have."""
    parser.add_argument("--start", action="store_true", help="measure starts: load, first and next image")
    parser.add_argument(
        "--served", action="store_true", help="also time jobs of the server beside the engine (--start)"
    )


def run(options: argparse.Namespace, device: torch.device) -> int:
    """Write a checkpoint, start on it again and again, and serve it."""
    small = device.type == "cpu"
    with tempfile.TemporaryDirectory() as scratch:
        folder, kernels = options.folder or Path(scratch) / "checkpoint", Path(scratch) / "kernels"
        if not folder.exists():
            build_speck(folder)
            if not small:
                write_shape(folder, NANO, WAN_VAE, device)
        starts: list[Start] = []
        served: list[Served] = []
        for precision in [name for name in get_args(Precision) if name in options.engines.split(",")]:
            shutil.rmtree(kernels, ignore_errors=True)
            for state, files in (("none", "cache"), ("kept", "cache"), ("kept", "disk")):
                if files == "disk":
                    _drop_from_cache(folder)
                child = _start(folder, precision, kernels, small=small)
                times = (child[name] for name in ("imported_s", "ready_s", "first_s", "next_s"))
                starts.append(Start(precision, state, files, *times))
            if not options.served:
                continue
            with _server(folder, precision, kernels, Path(scratch) / "data") as client:
                for case, asked in requests(2 if small else 35, small=small).items():
                    _serve(client, asked)
                    served.append(Served(case, precision, child["cases"][case], _serve(client, asked)))
    sys.stdout.write(table(starts, served))
    if options.json is not None:
        there = json.loads(options.json.read_text()) if options.json.is_file() else {}
        made = {"starts": [asdict(start) for start in starts], "served": [asdict(entry) for entry in served]}
        options.json.write_text(json.dumps(there | made, indent=2) + "\n")
    return 0


@torch.inference_mode()
def write_shape(folder: Path, config: ModelConfig, vae: Mapping[str, Any], device: torch.device) -> None:
    """Put random weights of another shape in the place of speck's; of a vision encoder there is none.

    Args:
        vae: as diffusers' class is made.
    """
    described = read_json(folder / "transformer" / "config.json")
    shutil.rmtree(folder / "transformer")
    model = build_random(config, device, torch.bfloat16)
    library_transformer(model, config).save_pretrained(folder / "transformer", max_shard_size="5GB")
    axes = list(config.rope_axes_dim)
    shape = {name: value for name, value in config.model_dump().items() if name in described}
    rope = {"rope_axes_dim": axes, "rope_scaling": {**described["rope_scaling"], "mrope_section": axes}}
    (folder / "transformer" / "config.json").write_text(json.dumps(described | shape | rope))
    del model
    shutil.rmtree(folder / "vae")
    torch.manual_seed(0)
    with torch.device(device):
        AutoencoderKLWan(**vae).bfloat16().save_pretrained(folder / "vae")
    shutil.rmtree(folder / "vision_encoder")
    (folder / "model.safetensors.index.json").unlink()
    if device.type == "cuda":
        torch.cuda.empty_cache()


def _drop_from_cache(folder: Path) -> None:
    """Let the system forget the files' contents, as it has after a restart."""
    for shard in folder.glob("*/*.safetensors"):
        with shard.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _environment(kernels: Path) -> dict[str, str]:
    inductor, triton = str(kernels / "inductor"), str(kernels / "triton")
    return os.environ | {"TORCHINDUCTOR_CACHE_DIR": inductor, "TRITON_CACHE_DIR": triton}


def _start(folder: Path, precision: str, kernels: Path, *, small: bool) -> dict[str, Any]:
    words = [sys.executable, "-m", __name__, str(folder), precision, str(time.time()), *(["--small"] if small else [])]
    done = subprocess.run(words, env=_environment(kernels), stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


@contextmanager
def _server(folder: Path, precision: str, kernels: Path, data: Path) -> Iterator[httpx.Client]:
    env = _environment(kernels) | {
        "ORRERY_PORT": "0",
        "ORRERY_DATA": str(data),
        "ORRERY_CHECKPOINT": str(folder),
        "ORRERY_PRECISION": precision,
    }
    process = subprocess.Popen([sys.executable, "-m", "backend"], env=env, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        url = process.stdout.readline().rpartition(" ")[2].strip()
        with httpx.Client(base_url=url, timeout=60) as client:
            ends = time.monotonic() + READY_S
            while client.get("/readyz").status_code != 200:
                assert process.poll() is None
                assert time.monotonic() < ends
                time.sleep(POLL_S)
            yield client
    finally:
        process.terminate()
        process.wait(60)


def _serve(client: httpx.Client, asked: Mapping[str, Any]) -> float:
    """Seconds of one job, by the server's own clock."""
    answer = client.post("/v1/jobs", json=dict(asked))
    answer.raise_for_status()
    ends = time.monotonic() + JOB_S
    while True:
        job = client.get(f"/v1/jobs/{answer.json()['id']}").json()
        if job["finished_at"] is not None:
            break
        assert time.monotonic() < ends
        time.sleep(POLL_S)
    assert job["state"] == "succeeded", job
    created, finished = (datetime.fromisoformat(job[name]) for name in ("created_at", "finished_at"))
    return (finished - created).total_seconds()


def table(starts: list[Start], served: list[Served]) -> str:
    """Both tables."""
    rows = [f"{'engine':13} {'kernels':8} {'files':8} {'imported':>9} {'ready':>8} {'first':>8} {'next':>8}\n"]
    rows += [
        f"{one.engine:13} {one.kernels:8} {one.files:8} "
        f"{one.imported_s:8.1f}s {one.ready_s:7.1f}s {one.first_s:7.1f}s {one.next_s:7.2f}s\n"
        for one in starts
    ]
    if served:
        rows.append(f"\n{'case':10} {'engine':13} {'in it':>9} {'served':>9} {'more':>9}\n")
    rows += [
        f"{one.case:10} {one.engine:13} {one.engine_s:8.3f}s {one.served_s:8.3f}s "
        f"{1e3 * (one.served_s - one.engine_s):6.0f} ms\n"
        for one in served
    ]
    return "".join(rows)


def main() -> int:
    """One start, as a process of its own: a line of JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("precision", choices=get_args(Precision))
    parser.add_argument("began", type=float, help="when the process was begun, of time.time()")
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    found: dict[str, Any] = {"imported_s": time.time() - options.began, "cases": {}}
    engine = Engine.load(options.folder, precision=options.precision)
    found["ready_s"] = time.time() - options.began
    with tempfile.TemporaryDirectory() as scratch:
        for case, asked in requests(2 if options.small else 35, small=options.small).items():
            first_s = _make(engine, asked, Path(scratch))
            found.setdefault("first_s", time.time() - options.began)
            found["cases"][case] = min(_make(engine, asked, Path(scratch)) for _ in range(2))
            found.setdefault("next_s", found["cases"][case])
            sys.stderr.write(f"{case}: first {first_s:.2f} s, then {found['cases'][case]:.2f} s\n")
    sys.stdout.write(json.dumps(found) + "\n")
    return 0


def _make(engine: Engine, asked: Mapping[str, Any], scratch: Path) -> float:
    """Seconds from a request to its file, the prompts kept from the time before as a server keeps them."""
    began = time.perf_counter()
    request = parse_request(dict(asked))
    assert isinstance(request, Plannable)
    trajectory = engine.begin(request)
    while not trajectory.done:
        engine.step([trajectory])
    result = engine.finish(trajectory)
    if request.kind == "generate_image":
        write_png(scratch / "made.png", result.image)
    else:
        write_clip(scratch / "made.mp4", result.frames, 24)
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
