"""The choices of the model: unused ids and open actions.

Anything else is missing from the schema, so the model can't plan it.
"""

from collections.abc import Iterable, Mapping, Sequence

from ..actions.base import Action, BrainAction
from ..config.settings import Budgets
from ..core.intent import Intent
from ..core.tables import Table
from ..core.types import INSTEAD, LOOKUPS, Address, Step
from .prompt import ROWS

_TABLES = 3  # whose lines the model may have opened: the schema has room for as many ids


def unused_ids(
    addresses: Iterable[Address],
    tables: Iterable[Table],
    steps: Iterable[Step],
    actions: Mapping[str, Action],
) -> list[str]:
    """Return the ids not used yet. A turn acts on each id once, even if that failed.

    Reading or saving one doesn't count. actions: of the *steps*, by name.
    """
    acts = [step.plan for step in steps if actions[step.plan.action].effect not in (*LOOKUPS, "keeps")]
    tried = {value for plan in acts for value in plan.arguments.values()}
    rows = dict.fromkeys(row.id for table in tables for row in table.rows[:ROWS] if row.url)
    found = [*(address.id for address in addresses), *[*rows][-_TABLES * ROWS :]]
    return [id_ for id_ in dict.fromkeys(found) if id_ not in tried]


def is_open(
    action: Action,
    ids: Sequence[str],
    tables: Sequence[Table],
    steps: Sequence[Step],
    budgets: Budgets,
    intent: Intent,
) -> bool:
    """Return whether *action* has something to work on and is not spent. ids: those not used yet."""
    own = [step for step in steps if step.plan.action == action.name]
    # What they said to do instead is no failure.
    failures = sum(not (step.is_good or step.outcome.code == INSTEAD) for step in own)
    tries = action.attempts + (0 if isinstance(action, BrainAction) else intent.more)
    searches = max(budgets.searches, len(intent.sites), action.attempts)
    needs_id = any(field.offered and not field.optional for field in action.fields)
    return action.ends_turn or (
        len(steps) < budgets.steps + intent.more
        and (bool(ids) or not needs_id)
        and (bool(tables) or not action.needs_table)
        and (not action.times or len(own) < action.times)
        and (not action.searches or len(own) < searches)
        and failures < tries
    )
