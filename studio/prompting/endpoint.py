"""An OpenAI-compatible endpoint as something that can be asked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import TracebackType
from typing import Annotated, Any, Self, TypeVar, cast

import httpx
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from studio.errors import (
    BadInput,
    Busy,
    ServerUnreachable,
    StudioError,
    TooLarge,
    Unauthorized,
    Unexpected,
    every_error,
    rebuild,
)
from studio.prompting.question import ImageUrl, Part, PlainText, Question, Turn
from studio.requests import shown

MAX_SENTENCE = 1000
"""Characters of an error's sentence; whoever sends more is no Orrery."""


class _Answered(BaseModel):
    """What is read of an answer; everything else that comes is let be."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class _OwnFailure(_Answered):
    code: str
    message: Annotated[str, Field(max_length=MAX_SENTENCE)]
    param: Annotated[str | None, Field(max_length=MAX_SENTENCE)]
    hint: Annotated[str, Field(max_length=MAX_SENTENCE)]


class _OwnError(_Answered):
    error: _OwnFailure


def refusal_of(address: str, status: int, raw: bytes) -> StudioError:
    """The error of an answer whose status is not 200."""
    own = _typed(raw)
    if own is not None:
        return own
    said = _message_of(raw)
    match status:
        case 401 | 403:
            return Unauthorized(f"{address} does not accept the key: {said}.", param="api_key", hint="Check the key.")
        case 404:
            return BadInput(
                f"{address} does not have this model or route: {said}.",
                param="model",
                hint="GET /models lists its models.",
            )
        case 413:
            return TooLarge(f"{address} rejects a request of this size: {said}.", hint="Send smaller or fewer media.")
        case 429:
            return Busy(
                f"{address} receives too many requests: {said}.",
                hint="Send fewer requests at once, or try again later.",
            )
        case _ if status >= 500:
            return ServerUnreachable(f"{address} answered {status}: {said}.", hint="See its log for details.")
        case _:
            return BadInput(f"{address} answered {status}: {said}.", hint="See its message for the reason.")


def _typed(raw: bytes) -> StudioError | None:
    """The error of another Orrery, whose bodies name it."""
    try:
        error = _OwnError.model_validate_json(raw).error
    except ValidationError:
        return None
    known = {kind.code for kind in every_error()}
    return rebuild(error.code, error.message, error.param, error.hint) if error.code in known else None


def _message_of(raw: bytes) -> str:
    """The message of an OpenAI error body, or the beginning of whatever came."""
    try:
        body: Any = json.loads(raw)
        error: Any = cast(dict[str, Any], body).get("error", body)
        message = cast(dict[str, Any], error).get("message") if isinstance(error, dict) else error
        if isinstance(message, str) and message:
            return shown(message)
    except (ValueError, RecursionError, AttributeError):
        pass
    text = " ".join(raw[:400].decode(errors="replace").split())
    return shown(text) if text else "nothing"


CONNECT_TIMEOUT_S = 10.0
ANSWER_TIMEOUT_S = 600.0
"""20,000 tokens at 30 ms."""
MAX_BODY_BYTES = 8 * 1024 * 1024

LOOPBACK_HOST = re.compile(r"localhost|127\.\d+\.\d+\.\d+|::1")


class _Said(_Answered):
    content: str | None = None
    reasoning_content: str | None = None
    refusal: str | None = None


class _CompletionChoice(_Answered):
    message: _Said


class _Usage(_Answered):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(_Answered):
    choices: tuple[_CompletionChoice, ...] = Field(min_length=1)
    usage: _Usage | None = None


class _Model(_Answered):
    id: str


class _Models(_Answered):
    data: tuple[_Model, ...]


Kind = TypeVar("Kind", bound=_Answered)


class Endpoint:
    """`Ask` over HTTP: `POST {address}/chat/completions`, one answer a call, several calls at once.

    Args:
        address: up to and including the version: `http://127.0.0.1:8000/v1`.
        model: its name there; none takes the first that the endpoint lists.
        api_key: sent as a bearer token; it is never part of an error.
        plain: send OpenAI's own fields only, without `top_k`, `repetition_penalty` and what says how clips are read.
        lora: the adapter that answers, `{"name", "scale"}`; Orrery's own servers know the field.
        timeout_s: for one whole answer.
        transport: in place of the network, for tests.

    Attributes:
        num_tokens: read and written so far, as far as it has said so.

    Raises:
        BadInput: the address or the key cannot be used.
    """

    def __init__(
        self,
        address: str,
        *,
        model: str | None = None,
        api_key: str | None = None,
        plain: bool = False,
        lora: Mapping[str, Any] | None = None,
        timeout_s: float = ANSWER_TIMEOUT_S,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        url = _parsed(address)
        self.address = str(url).rstrip("/")
        self.model = model
        self.num_tokens = 0
        self._plain = plain
        self._lora = {} if lora is None else {"lora": dict(lora)}
        self._http = httpx.AsyncClient(
            headers=_credential(api_key),
            timeout=httpx.Timeout(timeout_s, connect=CONNECT_TIMEOUT_S),
            # As many connections as questions: how many are asked at once is the asker's.
            limits=httpx.Limits(max_connections=None),
            transport=transport,
            # A proxy from the environment has no way to this machine's own loopback.
            trust_env=not LOOPBACK_HOST.fullmatch(url.host),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the sockets."""
        await self._http.aclose()

    async def __call__(self, question: Question, /) -> str:
        """The answer's text, with thinking that came apart put back in `<think>`.

        Raises:
            ServerUnreachable: nobody answered, not in time, not to the end, or with a server's error.
            Unauthorized: the key is not accepted.
            BadInput: the endpoint refuses the request, or knows no such model.
            TooLarge: the request or the answer is too large.
            Busy: it is asked too often; ask again later.
            Unexpected: what came is no completion.
        """
        body = request_body(question, await self._model(), plain=self._plain) | self._lora
        completion = _read(_Completion, await self._call("POST", "/chat/completions", body), self.address)
        said = completion.choices[0].message
        if completion.usage is not None:
            self.num_tokens += (completion.usage.prompt_tokens or 0) + (completion.usage.completion_tokens or 0)
        if said.content is None and said.refusal:
            raise BadInput(f"{self.address} refused: {shown(said.refusal)}.", param="prompt")
        text = said.content or ""
        return f"<think>{said.reasoning_content}</think>{text}" if said.reasoning_content else text

    async def _model(self) -> str:
        if self.model is None:
            models = _read(_Models, await self._call("GET", "/models", None), self.address).data
            if not models:
                raise BadInput(f"{self.address} does not list a model.", param="model", hint="Set a model.")
            self.model = models[0].id
        return self.model

    async def _call(self, method: str, path: str, body: dict[str, Any] | None) -> bytes:
        try:
            async with self._http.stream(method, f"{self.address}{path}", json=body) as response:
                raw = bytearray()
                async for chunk in response.aiter_bytes():
                    raw += chunk
                    if len(raw) > MAX_BODY_BYTES:
                        raise TooLarge(f"{self.address} sent an answer larger than {MAX_BODY_BYTES:,} bytes.")
        except httpx.TimeoutException as error:
            raise ServerUnreachable(
                f"{self.address} did not answer in time ({type(error).__name__}).",
                hint="Check whether it is busy or stopped.",
            ) from None
        except httpx.TransportError as error:
            raise ServerUnreachable(
                f"{self.address} does not answer: {error or type(error).__name__}.",
                hint="Check that the endpoint is running.",
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise Unexpected(f"The answer of {self.address} cannot be read: {error or type(error).__name__}.") from None
        if response.status_code != 200:
            raise refusal_of(self.address, response.status_code, bytes(raw))
        return bytes(raw)


def request_body(question: Question, model: str, *, plain: bool = False) -> dict[str, Any]:
    """A question as the body of a chat completion; an answer schema becomes `response_format: json_schema`.

    Args:
        question: what is asked.
        model: who is asked.
        plain: OpenAI's own fields only.
    """
    sampling = question.sampling
    body: dict[str, Any] = {
        "model": model,
        "messages": [_message(message) for message in question.messages],
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "presence_penalty": sampling.presence_penalty,
        "max_tokens": sampling.max_tokens,
        "seed": sampling.seed,
    }
    wanted = question.answer_schema
    # OpenAI itself takes schemas of objects only; a list that was asked for in words is parsed all the same.
    if wanted is not None and (not plain or wanted.get("type") == "object"):
        schema = {"name": "answer", "schema": wanted, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    if not plain:
        body["top_k"] = sampling.top_k
        body["repetition_penalty"] = sampling.repetition_penalty
        body |= _looked_at(question)
    return body


def _looked_at(question: Question) -> dict[str, Any]:
    """vLLM's fields for the frames of clips and the pixels of media."""
    pixels = {"min_pixels": question.min_pixels, "max_pixels": question.max_pixels}
    processor: dict[str, Any] = {name: value for name, value in pixels.items() if value is not None}
    reader: dict[str, Any] = {}
    if question.video_fps is not None:
        reader = {"video": {"fps": question.video_fps, "num_frames": -1}}
        processor |= {"fps": question.video_fps, "do_sample_frames": True}
    elif question.num_video_frames is not None:
        reader = {"video": {"num_frames": question.num_video_frames}}
    said = {"media_io_kwargs": reader, "mm_processor_kwargs": processor}
    return {name: value for name, value in said.items() if value}


def _message(message: Turn) -> dict[str, Any]:
    match message.parts:
        case (PlainText(text=text),):
            return {"role": message.role, "content": text}
        case parts:
            return {"role": message.role, "content": [_part(part) for part in parts]}


def _part(part: Part) -> dict[str, Any]:
    if isinstance(part, PlainText):
        return {"type": "text", "text": part.text}
    kind = "image_url" if isinstance(part, ImageUrl) else "video_url"
    return {"type": kind, kind: {"url": part.url}}


def _read(kind: type[Kind], raw: bytes, address: str) -> Kind:
    try:
        return kind.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "its body"
        raise Unexpected(
            f"{address} did not answer with a chat completion ({where}: {first['msg']}).",
            hint="Check that the address ends in /v1 and serves OpenAI's protocol.",
        ) from None


def _parsed(address: str) -> httpx.URL:
    try:
        url = httpx.URL(address if "://" in address else f"http://{address}")
    except (httpx.InvalidURL, UnicodeError):
        url = httpx.URL("")
    if url.userinfo:
        raise BadInput(
            "The endpoint's address contains a password.", param="endpoint", hint="Set it as the key instead."
        )
    if url.scheme not in ("http", "https") or not url.host or url.query:
        raise BadInput(
            f"The endpoint is {shown(address)}; expected a URL such as http://127.0.0.1:8000/v1.", param="endpoint"
        )
    return url


def _credential(api_key: str | None) -> dict[str, str]:
    if not api_key:
        return {}
    if not (api_key.isascii() and api_key.isprintable()):
        raise Unauthorized("The key has characters that are not allowed in an HTTP header.", param="api_key")
    return {"authorization": f"Bearer {api_key}"}
