"""Refinements as an import brings them in: whole trees, of which none goes on by itself."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.dialects import sqlite
from sqlalchemy.orm import Session

from backend.database.refinement_table import CriticScoreRow, RefinementRow
from backend.library.records import Keep, RecordSort, Row, behind_all, document_in, id_in, is_id
from backend.media.file_names import is_media_name
from backend.media.references import is_served_here
from backend.refining.loop import MAX_THRIFT
from backend.refining.shelf import scores_of
from studio.refinement_growth import best_of, rested
from studio.refinements import MAX_NODES, Refinement, RefinementNode
from studio.requests import MAX_TEXT_BYTES
from studio.requests.refine_image import MAX_REWRITES


def _refinement(row: Row) -> Keep:
    tree = document_in(row, Refinement)
    if tree.id != id_in(row):
        raise ValueError("its tree has another id")
    if not 0 < len(tree.nodes) <= MAX_NODES or tree.spent_s < 0 or tree.spent_tokens < 0:
        raise ValueError("its tree has no size that it could have")
    for index, node in enumerate(tree.nodes):
        _check(node, index, tree)
    tree = _left_off(tree.model_copy(update={"best": best_of(tree.nodes)}))
    media = frozenset(node.media.id for node in tree.nodes if node.media is not None)

    def keep(session: Session) -> frozenset[str] | None:
        if session.scalar(select(func.count()).where(RefinementRow.id == tree.id)):
            return None
        number = behind_all(session, RefinementRow.number)
        document = tree.model_dump(mode="json")
        session.add(RefinementRow(number=number, id=tree.id, state=tree.state, document=document))
        if scores := scores_of(tree):
            session.execute(sqlite.insert(CriticScoreRow).on_conflict_do_nothing(), scores)
        return media

    return keep


def _check(node: RefinementNode, index: int, tree: Refinement) -> None:
    """Raises ValueError where it could not have grown here."""
    in_order = node.number == index and (node.parent is None or 0 <= node.parent < index)
    if not in_order or node.round < 0:
        raise ValueError(f"result {index} is not in its place")
    if not 0 <= node.candidate < tree.request.num_candidates:
        raise ValueError(f"result {index} belongs to no candidate")
    if not (0 <= node.rewrites_left <= MAX_REWRITES and 0 <= node.thrift <= MAX_THRIFT):
        raise ValueError(f"result {index} would go on for too long")
    if len(node.words.encode()) > MAX_TEXT_BYTES:
        raise ValueError(f"the words of result {index} are too long")
    if node.job_id is not None and not is_id(node.job_id):
        raise ValueError(f"the job of result {index} is none")
    if node.media is not None and not (is_media_name(node.media.id) and is_served_here(node.media)):
        raise ValueError(f"result {index} lies elsewhere")


def _left_off(tree: Refinement) -> Refinement:
    """One that ran when it was exported, as if a person had stopped it there; any other as it is."""
    if tree.state != "running":
        return tree
    failed = next((node.error for node in tree.nodes if node.stage == "failed"), None)
    return rested(tree).model_copy(update={"state": "stopped", "error": failed})


REFINEMENT_RECORDS = (RecordSort("refinements", "refinements", _refinement),)
