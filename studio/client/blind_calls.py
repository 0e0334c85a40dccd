"""What a server can be asked about its blind tests. All raise StudioErrors."""

from __future__ import annotations

from studio.blind_tests import AddBlindPair, BlindPair, BlindPairList, BlindScores, BlindTest, CreateBlindTest
from studio.client.connection import Connection
from studio.client.paths import blind_test_path


class BlindTestCalls:
    """The blind tests of one server, as `StudioClient.blind_tests`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def create(self, asked: CreateBlindTest) -> BlindTest:
        """Begin a test of two policies. Raises BadInput."""
        said = asked.model_dump(mode="json")
        return await self._connection.ask("POST", "/v1/blind-tests", BlindTest, json=said)

    async def get(self, test_id: str) -> BlindTest:
        """A test as it is now. Raises StudyNotFound."""
        return await self._connection.ask("GET", blind_test_path(test_id), BlindTest)

    async def pairs(self, test_id: str) -> tuple[BlindPair, ...]:
        """Every pair, with its policies. Raises StudyNotFound."""
        path = f"{blind_test_path(test_id)}/pairs"
        return (await self._connection.ask("GET", path, BlindPairList)).pairs

    async def add(self, test_id: str, pair: AddBlindPair) -> BlindPair:
        """Add what both policies did at a task. Raises StudyNotFound, BadInput, MediaNotFound, Conflict."""
        path = f"{blind_test_path(test_id)}/pairs"
        return await self._connection.ask("POST", path, BlindPair, json=pair.model_dump(mode="json"))

    async def scores(self, test_id: str) -> BlindScores:
        """What the verdicts come to. Raises StudyNotFound."""
        return await self._connection.ask("GET", f"{blind_test_path(test_id)}/scores", BlindScores)
