"""A solver of linear programmes, where the extra ``kplan[solver]`` is installed: HiGHS, imported on first use."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Float = NDArray[np.float64]


class Row(Struct, frozen=True):
    """Something of which there has to be so much: the sum of ``values`` times the variables is ``least`` or more."""

    values: Float
    least: float


class Solution(Struct, frozen=True):
    """What a solver found.

    Attributes:
        bound: nothing costs less than this.
        amounts: float64[V], the best that was found; None where none was in time.
    """

    bound: float
    amounts: Float | None


def minimise(
    costs: Float, low: Float, high: Float, rows: Sequence[Row], *, whole: bool = False, seconds: float = 10.0
) -> Solution | None:
    """Find the amounts that cost least; None where no solver is installed, or there are none.

    Args:
        costs: float64[V], of one of each.
        low: float64[V], fewest of each.
        high: float64[V], most of each.
        rows: what has to hold.
        whole: whether amounts are whole numbers.
        seconds: for how long is searched; the bound holds then, too.
    """
    try:
        import highspy
    except ImportError:
        return None

    class Quiet(highspy.Highs):  # type: ignore[misc]  # skipped by mypy, so a class of any kind
        """Calls nobody back: to be able to, it would write its name to standard output before it can be told not to."""

        def enableCallbacks(self) -> None:
            """Enable none."""

    solver = Quiet()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("time_limit", seconds)
    solver.setOptionValue("random_seed", 0)
    solver.setOptionValue("threads", 1)
    for at in range(len(costs)):
        solver.addVar(float(low[at]), float(high[at]))
        solver.changeColCost(at, float(costs[at]))
        if whole:
            solver.changeColIntegrality(at, highspy.HighsVarType.kInteger)
    for row in rows:
        index = np.flatnonzero(row.values).astype(np.int32)
        solver.addRow(row.least, highspy.kHighsInf, len(index), index, row.values[index].astype(np.float64))
    solver.run()
    status, info = solver.getModelStatus(), solver.getInfo()
    if status == highspy.HighsModelStatus.kOptimal:
        bound = float(info.mip_dual_bound) if whole else float(info.objective_function_value)
    elif whole and status == highspy.HighsModelStatus.kTimeLimit:
        bound = float(info.mip_dual_bound)
    else:
        return None
    amounts = np.array(solver.getSolution().col_value, dtype=np.float64)
    return Solution(bound, amounts if len(amounts) == len(costs) else None)
