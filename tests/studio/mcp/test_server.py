"""The tools as an agent has them: the real MCP client, over the real command's stdin and stdout."""

import os
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp import ClientSession, StdioServerParameters, stdio_client

from frontend.static_files import FOLDER
from running import RunningServer
from studio.requests import KINDS

LIMIT_S = 280
"""Whatever a busy machine takes; a test is ended after 300."""

JOB_S = 120
COMMAND = ["-P", "-c", "from cli import main; main()", "mcp", "--server"]


@asynccontextmanager
async def agent(server: RunningServer) -> AsyncGenerator[ClientSession]:
    parameters = StdioServerParameters(command=sys.executable, args=[*COMMAND, server.url], env=dict(os.environ))
    async with stdio_client(parameters) as (reading, writing), ClientSession(reading, writing) as session:
        with anyio.fail_after(LIMIT_S):
            await session.initialize()
            yield session


async def called(session: ClientSession, tool: str, **arguments: Any) -> Any:
    answer = await session.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    return answer.structured_content


def test_an_agent_makes_looks_asks_finds_and_cancels(server: RunningServer):
    async def talk() -> None:
        async with agent(server) as session:
            tools = {tool.name: tool for tool in (await session.list_tools()).tools}
            assert set(tools) == {
                *KINDS,
                "ask",
                "add_file",
                "search_library",
                "compare",
                "get_comparison",
                "get_job",
                "cancel_job",
                "look",
                "deal_pair",
                "vote",
                "take_back_vote",
                "get_standings",
            }
            assert all(tool.description for tool in tools.values())
            arguments = tools["generate_video"].input_schema["properties"]
            assert {"prompt", "start_image", "num_frames", "steps", "seed", "wait_s"} <= set(arguments)
            assert "kind" not in arguments
            assert arguments["start_image"]["description"] == "the first frame of the video"
            (number, nothing) = arguments["steps"]["anyOf"]
            assert (number["minimum"], number["maximum"], nothing["type"]) == (1, 200, "null")
            assert "controls" in tools["transfer_video"].input_schema["required"]

            made = await called(session, "generate_image", prompt="An agent's red cube.", steps=2, seed=5, wait_s=JOB_S)
            assert made["state"] == "succeeded"
            (result,) = made["results"]
            assert (result["seed"], result["type"]) == (5, "image")
            look = await session.call_tool("look", {"media_id": result["media_id"]})
            assert look.content[0].type == "image"

            clip = await called(
                session,
                "generate_video",
                prompt="It moves.",
                start_image=result["media_id"],
                num_frames=61,
                steps=200,
                wait_s=0,
            )
            assert clip["state"] in ("queued", "running")
            assert (await called(session, "cancel_job", job_id=clip["job_id"]))["state"] in ("cancelled", "running")
            ended = await called(session, "get_job", job_id=clip["job_id"], wait_s=JOB_S)
            assert ended["state"] == "cancelled"

            short = await called(session, "generate_video", prompt="It moves.", num_frames=5, steps=1, wait_s=JOB_S)
            (frames,) = short["results"]
            look = await session.call_tool("look", {"media_id": frames["media_id"], "all_frames": True})
            assert look.content[0].type == "image"

            added = await called(session, "add_file", path=str(FOLDER / "tabletop.png"))
            assert added["type"] == "image"
            assert (await session.call_tool("look", {"media_id": added["media_id"]})).content[0].type == "image"

            said = await called(session, "ask", question="What is it?", media_id=result["media_id"], max_tokens=6)
            assert said["result"]
            found = await called(session, "search_library", words="agent cube")
            assert result["media_id"] in [item["media_id"] for item in found["items"]]

    anyio.run(talk)


def test_a_refusal_is_told_in_words(server: RunningServer):
    async def talk() -> None:
        async with agent(server) as session:
            for tool, arguments, said in (
                ("get_job", {"job_id": "nothing"}, "There is no job"),
                ("generate_image", {"prompt": "  "}, "prompt"),
                ("generate_video", {"prompt": "x", "num_frames": 18}, "17 or 21"),
                ("look", {"media_id": "../../etc/passwd"}, "media"),
                ("add_file", {"path": "/nowhere/table.png"}, "cannot be opened"),
            ):
                answer = await session.call_tool(tool, arguments)
                assert answer.is_error, tool
                assert said in answer.content[0].text  # pyright: ignore[reportAttributeAccessIssue]
                assert "Traceback" not in answer.content[0].text  # pyright: ignore[reportAttributeAccessIssue]

    anyio.run(talk)


def test_nothing_but_the_protocol_is_on_stdout(tmp_path: Path, server: RunningServer):
    ran = subprocess.run(
        [sys.executable, *COMMAND, server.url],
        input="",
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
    )
    assert (ran.returncode, ran.stdout) == (0, "")
