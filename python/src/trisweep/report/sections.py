"""The sections of the page, each with a figure and a table of the same data."""

from collections.abc import Callable, Sequence
from html import escape
from statistics import mean
from typing import Any

import numpy as np

from trisweep.report import figures
from trisweep.report.figures import seconds
from trisweep.report.records import Record, Trace, critical_path
from trisweep.runs import Traffic
from trisweep.tables import counted


def size(value: float) -> str:
    unit, name = next(((u, n) for u, n in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")) if value >= u), (1, "bytes"))
    return f"{value / unit:.3g} {name}"


def error(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.1e}"


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    def row(cells: Sequence[Any], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    return (
        f'<div class="wide" tabindex="0"><table><thead>{row(head, "th")}</thead>'
        f"<tbody>{''.join(row(cells, 'td') for cells in rows)}</tbody></table></div>"
    )


def as_text(summary: str, content: str) -> str:
    """A table with a figure's data, folded."""
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def facts(rows: Sequence[tuple[str, str]]) -> str:
    return "<dl>" + "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in rows) + "</dl>"


# Verdicts -----------------------------------------------------------------------------------------------------


def verdict(record: Record) -> tuple[bool, str]:
    """Returns whether the answer is good, and a sentence that says so."""
    if record.kind == "bem":
        bem = record["bem"]
        good = bem["true_residual"] <= 2 * bem["tolerance"]
        words = "converged" if good else "did not converge"
        method, iterations = bem["method"], counted(bem["iterations"], "iteration")
        return good, f"{method} {words} in {iterations}: residual {error(bem['true_residual'])}."
    solve, krylov = record["solve"], record["krylov"]
    if record.document.get("predicted"):
        return True, "A prediction of the model: nothing was solved."
    if record["plan"].get("dependencies") is False:
        return True, "A study of what the dependencies cost: nothing was solved."
    if record["factor"].get("numerically_singular"):
        return False, "The matrix is singular to working precision: x is one of many solutions, if it is one."
    if krylov:
        good = krylov["outcome"] == "converged"
        return good, f"{solve['method']}: {krylov['outcome']} after {counted(krylov['iterations'], 'iteration')}."
    unsolved = solve.get("unsolved") or []
    if unsolved:
        return False, f"{len(unsolved)} of {solve['nrhs']} right-hand sides do not have an accepted solution."
    steps = solve["refinement_steps"]
    corrections = f"after {counted(steps, 'correction')}" if steps else "without a correction"
    measure = error(solve["componentwise_backward_error"])
    return True, f"Solved: every equation holds to {measure} of its own terms, {corrections}."


# Sections -----------------------------------------------------------------------------------------------------


def answer(record: Record) -> str:
    good, words = verdict(record)
    html = f'<p class="verdict {"good" if good else "bad"}">{escape(words)}</p>'
    if record.kind == "bem":
        bem = record["bem"]
        rows = [("charge", f"{bem['charge']:.9g} C")]
        if bem.get("charge_relative_error") is not None:
            rows.append(("error of the charge", f"{bem['charge_relative_error']:.1e} of the exact one"))
        return html + facts(rows)
    solve = record["solve"]
    rows = [
        ("condition estimate", error(record["factor"].get("condition_estimate"))),
        ("error of x, at most about", error(solve.get("forward_error_bound")) + " of its largest entry"),
        ("error of single entries", error(solve.get("componentwise_forward_error_bound")) + " of the entry"),
        ("backward error, normwise", error(solve.get("backward_error"))),
    ]
    return html + facts([(name, value) for name, value in rows if not value.startswith("unknown")])


def system(record: Record) -> str:
    if record.kind == "bem":
        bem = record["bem"]
        return facts(
            [
                ("object", f"{bem['object']}, {bem['elements']} elements"),
                ("matrix", f"{size(bem['bytes'])}, {100 * bem['dense_fraction']:.3g} % of dense, eps {bem['eps']:g}"),
                (
                    "blocks",
                    f"{bem['low_rank_blocks']} low-rank (rank {bem['ranks_mean']:.3g} on average, at most "
                    f"{bem['ranks_max']}), {bem['dense_blocks']} dense",
                ),
                ("ranks and threads", f"{bem['ranks']}, {bem['threads']}"),
            ]
        )
    matrix, factor, plan, solve = (record[name] for name in ("matrix", "factor", "plan", "solve"))
    rows = [("matrix", f"{matrix['name']}: {matrix['rows']:,} rows, {matrix['nonzeros']:,} nonzeros")]
    if factor.get("bytes"):
        entries = factor["nonzeros_l"] + factor["nonzeros_u"]
        rows.append(
            (
                "factors",
                f"{factor['kind']}, {entries:,} entries in {factor['supernodes']:,} supernodes, "
                f"{size(factor['bytes'])}",
            )
        )
        rows.append(("pivots", f"{factor['delayed_pivots']} delayed, {factor['perturbed_pivots']} perturbed"))
    if plan.get("schedule"):
        grid = "x".join(map(str, plan["grid"]))
        rows.append(
            (
                "plan",
                f"grid {grid}, {plan['mapping']}, {plan['schedule']}, {plan['tree']} trees, "
                f"{plan['transport']}, {counted(plan['threads'], 'thread')} a rank, on {plan['device']}",
            )
        )
    rows.append(
        ("solves", f"{counted(solve['nrhs'], 'right-hand side')}, op {solve['op']}, {solve['precision']} precision")
    )
    machine = record["machine"]
    if machine.get("processor"):
        rows.append(("machine", f"{machine['processor']}, {machine['processors']} processors, {machine['mpi']}"))
    return facts(rows)


def time(record: Record) -> str:
    if record.kind == "bem":
        bem = record["bem"]
        phases = [
            ("assembly", bem["assembly_seconds"]),
            ("solve", bem["solve_seconds"]),
            ("one product", bem["product_seconds"]),
        ]
    else:
        factor, solve = record["factor"], record["solve"]
        phases = [
            ("analysis", factor.get("analysis_seconds")),
            ("factorization", factor.get("seconds")),
            ("setup", solve.get("setup_seconds")),
            ("first answer", solve.get("first_answer_seconds")),
            ("each answer", solve.get("answer_seconds_median")),
            ("each sweep", solve.get("seconds_median")),
        ]
    phases = [(name, value) for name, value in phases if value]
    bars = [(name, (value,)) for name, value in phases]
    html = figures.stacked_bars(bars, ("time",), seconds, "Time of each phase")
    html += as_text("The same as a table", table(("phase", "time"), [(n, seconds(v)) for n, v in phases]))
    return html + _limits(record)


def _limits(record: Record) -> str:
    """Compares the time of the sweeps with its lower bounds and with the model's prediction."""
    solve, model, rows = record["solve"], record["model"], []
    if solve.get("seconds_median") and solve.get("panel_bytes"):
        rate = solve["panel_bytes"] / solve["seconds_median"] / 1e9
        rows.append(
            ("factors read at", f"{rate:.3g} GB/s over all ranks: beside the machine's memory bandwidth, the bound")
        )
    if model.get("predicted_solve_seconds"):
        ratio = solve["seconds_median"] / model["predicted_solve_seconds"]
        rows.append(
            (
                "model",
                f"{seconds(model['predicted_solve_seconds'])} predicted for a sweep: measured {ratio:.2f} times that",
            )
        )
    if floor := model.get("floor"):
        rows += [(f"model, {name.removesuffix('_seconds').replace('_', ' ')}", seconds(v)) for name, v in floor.items()]
    return facts(rows) if rows else ""


PARTS = (
    ("products", "floating_point_seconds"),
    ("messages and waiting, within layers", "intra_grid_seconds"),
    ("between layers", "inter_grid_seconds"),
    ("vectors", "vector_seconds"),
)


def ranks(record: Record) -> str:
    entries = record.document.get("ranks") or []
    if len(entries) < 2:
        return ""
    bars = [(f"rank {e['rank']}", [e.get(key) or 0 for _, key in PARTS]) for e in entries]
    html = figures.stacked_bars(bars, [name for name, _ in PARTS], seconds, "Where the time of each rank goes")
    rows = []
    for name, key in (*PARTS, ("messages sent", "messages_sent"), ("bytes sent", "bytes_sent")):
        values = [e.get(key) or 0 for e in entries]
        show: Callable[[float], str] = seconds if key.endswith("seconds") else lambda v: f"{v:,.0f}"
        average = mean(values)
        ratio = f"{max(values) / average:.2f}" if average else ""
        rows.append((name, show(min(values)), show(average), show(max(values)), ratio))
    html += table(("balance over ranks", "smallest", "mean", "largest", "largest / mean"), rows)
    every = [(e["rank"], *(seconds(e.get(key) or 0) for _, key in PARTS)) for e in entries]
    return html + as_text("The figure as a table", table(("rank", *(name for name, _ in PARTS)), every))


def compression(record: Record) -> str:
    factor = record["factor"]
    levels = list(zip(factor.get("level_bytes") or [], factor.get("uncompressed_level_bytes") or [], strict=False))
    if not levels:
        return ""
    bars = [(f"level {k}", (made, whole - made)) for k, (made, whole) in enumerate(levels)]
    html = figures.stacked_bars(
        bars, ("stored", "saved"), size, "Bytes of the factors by level of the separator tree, the root's first"
    )
    rows = [(k, size(made), size(whole), f"{made / whole:.2f}") for k, (made, whole) in enumerate(levels) if whole]
    return html + as_text("The same as a table", table(("level", "stored", "uncompressed", "ratio"), rows))


def convergence(record: Record) -> str:
    residuals = record["bem"].get("residuals") or []
    figure = figures.curve(residuals, "Residual by iteration, on a logarithmic scale")
    rows = [(k, error(value)) for k, value in enumerate(residuals)]
    return figure + as_text("The same as a table", table(("iteration", "residual"), rows)) if figure else ""


def block_ranks(record: Record) -> str:
    counts = [(k, count) for k, count in enumerate(record["bem"].get("blocks_of_rank") or []) if count]
    if not counts:
        return ""
    bars = [(f"rank {k}", (count,)) for k, count in counts]
    figure = figures.stacked_bars(bars, ("blocks",), lambda v: f"{v:,.0f}", "Low-rank blocks by their rank")
    return figure + as_text("The same as a table", table(("rank", "low-rank blocks"), counts))


def block_map(record: Record, svg: str) -> str:
    bem = record["bem"]
    words = (
        f"{bem['dense_blocks']:,} dense blocks, red, and {bem['low_rank_blocks']:,} low-rank ones, the darker the "
        f"higher their rank, which is at most {bem['ranks_max']}; rows and columns are in the cluster tree's order."
    )
    return f"<p>{words}</p>{figures.block_map(svg, 'Blocks of the matrix, by rank')}"


def messages(traffic: Traffic) -> str:
    count, volume = traffic.matrix(traffic.messages), traffic.matrix(traffic.bytes)
    pairs = sorted(map(tuple, np.argwhere(count)), key=lambda pair: -count[pair])
    words = f"<p>{count.sum():,.0f} messages, {size(volume.sum())}, between {len(pairs):,} pairs of ranks.</p>"
    rows = [(f"{a} to {b}", f"{count[a, b]:,.0f}", size(volume[a, b])) for a, b in pairs[:15]]
    figure = figures.heat_map(traffic, "Messages by sender and receiver")
    return words + figure + as_text("The busiest pairs as a table", table(("ranks", "messages", "bytes"), rows))


def over_time(trace: Trace) -> str:
    path = critical_path(trace)
    hops = [f"rank {rank} for {seconds(end - begin)}" for rank, begin, end in path]
    words = (
        f"The solve took {seconds(trace.end)}; the line is the critical path, over {counted(len(path) - 1, 'message')} "
        "that a rank waited for."
    )
    figure = figures.timeline(trace, "What each rank does over time, and the critical path")
    items = "".join(f"<li>{hop}</li>" for hop in hops[:200])
    return f"<p>{words}</p>{figure}" + as_text("The critical path in words", f"<ol>{items}</ol>")


COMPARED = (
    ("analysis", "factor", "analysis_seconds"),
    ("factorization", "factor", "seconds"),
    ("setup", "solve", "setup_seconds"),
    ("first answer", "solve", "first_answer_seconds"),
    ("each answer", "solve", "answer_seconds_median"),
    ("each sweep", "solve", "seconds_median"),
    ("forward sweep", "solve", "l_seconds"),
    ("backward sweep", "solve", "u_seconds"),
    ("between layers", "solve", "inter_grid_seconds"),
    ("assembly", "bem", "assembly_seconds"),
    ("one product", "bem", "product_seconds"),
    ("solve", "bem", "solve_seconds"),
)


def comparison(records: Sequence[Record]) -> str:
    """Compares several runs: the times of each, and their ratios to the first run's."""
    rows = []
    for name, section, key in COMPARED:
        values = [record[section].get(key) for record in records]
        if not values[0]:
            continue
        others = (f"{seconds(v)} ({v / values[0]:.2f})" if v else "" for v in values[1:])
        rows.append((name, seconds(values[0]), *others))
    return "<p>In brackets: times the first run's.</p>" + table(("", *(record.name for record in records)), rows)


OF_A_RECORD: tuple[tuple[str, Callable[[Record], str]], ...] = (
    ("Answer", answer),
    ("System", system),
    ("Time", time),
    ("Ranks", ranks),
    ("Compression", compression),
    ("Convergence", convergence),
    ("Ranks of blocks", block_ranks),
)
