"""Programs as functions in C99: no allocation, no loops; sin, cos, sqrt, atan2, floor are called.

Every operation is one line. A long program is cut into several functions, since compilers take more than
linear time for long ones; numbers that later parts read are in an array on the caller's stack.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..model.number_arrays import SMALLEST_NORM
from .program import Program

# A robot's names are arbitrary text: they may have newlines and ends of comments.


def identifier(text: str) -> str:
    """Return text as part of a C identifier: ASCII letters, digits and single underscores."""
    return re.sub("_+", "_", re.sub("[^A-Za-z0-9]", "_", text)).strip("_")


def unique_identifiers(texts: Iterable[str]) -> list[str]:
    """Return upper-case identifiers, made different by numbers where they would be equal."""
    names: list[str] = []
    for text in texts:
        name = stem = identifier(text).upper() or "UNNAMED"
        count = 1
        while name in names:
            count += 1
            name = f"{stem}_{count}"
        names.append(name)
    return names


def comment_text(text: str) -> str:
    """Return text for a C comment: code points replace other characters than ASCII, and *, backslash and ?.

    These could end or continue the comment; the question mark begins trigraphs.
    """
    return "".join(c if re.fullmatch(r"[ -~]", c) and c not in "*\\?" else f"<U+{ord(c):04X}>" for c in text)


#: Largest number of operations of one part.
PART = 2_000
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
#: C code that all functions of a file use.
HELPERS = """\
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "numbers that are not finite are reported: compile without -ffast-math and -ffinite-math-only"
#endif

#if defined(__GNUC__)
#define SEPARATE __attribute__((noinline)) static void
#else
#define SEPARATE static void
#endif

static int all_finite(const double *x, int length)
{
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0; /* four sums: one alone would wait for each addition */
    int k = 0;
    for (; k + 3 < length; k += 4) { /* a NaN, and infinity times zero, are NaN */
        a += x[k] * 0.0;
        b += x[k + 1] * 0.0;
        c += x[k + 2] * 0.0;
        d += x[k + 3] * 0.0;
    }
    for (; k < length; ++k) {
        a += x[k] * 0.0;
    }
    return a + b + c + d == 0.0;
}

static void fill_with_nan(double *x, int length)
{
    for (int k = 0; k < length; ++k) {
        x[k] = NAN;
    }
}
"""


def signature(program: Program, prefix: str, keyword: str = "restrict") -> str:
    """Return the declaration of a program's function, without a semicolon."""
    arguments = [f"const double *{keyword} {name}" for name, _ in program.inputs]
    arguments += [f"double *{keyword} {result.name}" for result in program.results]
    return f"int {prefix}_{program.name}({', '.join(arguments)})"


@dataclass(frozen=True)
class _Parts:
    """A program cut into parts of limited length.

    Attributes:
        lines: operations of each part.
        slots: index in the work array of each line that later parts read.
        size: of the work array.
    """

    lines: list[list[int]]
    slots: dict[int, int]
    size: int


def _parts(program: Program) -> _Parts:
    """Cut a program into parts, and reuse slots of the work array after their last use."""
    computed = [k for k, line in enumerate(program.lines) if line.operands]
    parts = [computed[first : first + PART] for first in range(0, len(computed), PART)]
    part_of = {line: number for number, part in enumerate(parts) for line in part}
    last_use = {operand: part_of[line] for line in computed for operand in program.lines[line].operands}
    slots: dict[int, int] = {}
    free: list[int] = []
    until: defaultdict[int, list[int]] = defaultdict(list)
    size = 0
    for number, part in enumerate(parts):
        for line in part:
            if last_use.get(line, number) > number:
                if not free:
                    free, size = [size], size + 1
                slots[line] = free.pop()
                until[last_use[line]].append(slots[line])
        free += until[number]
    return _Parts(parts, slots, size)


def work_size(program: Program) -> int:
    """Return how many doubles the function keeps in stack arrays; the compiler may use more stack."""
    parts = _parts(program)
    return parts.size + len(program.pivots) + len(program.reach)


def definition(program: Program, prefix: str) -> str:
    """Return the function of a program in C, after the parts that it calls."""
    parts = _parts(program)
    outputs = _outputs(program)
    text: list[str] = []
    calls: list[str] = []
    for number, lines in enumerate(parts.lines):
        body = list(_body(program, lines, parts.slots, outputs))
        given = _used_names(body, program)
        name = f"{program.name}_part_{number + 1}"
        arguments = ", ".join(f"{kind} *restrict {array}" for array, kind in given.items())
        text += [f"SEPARATE {name}({arguments})", "{", *body, "}", ""]
        calls.append(f"        {name}({', '.join(given)});")
    for line, targets in outputs.items():  # results that no part computes: constants and inputs
        if not program.lines[line].operands:
            calls += [f"        {target} = {_value(program, line)};" for target in targets]
    return "\n".join([*text, signature(program, prefix), *_frame(program, parts.size, calls), ""])


def _frame(program: Program, size: int, calls: Sequence[str]) -> Iterator[str]:
    """Yield the statements of the function's body: checks, calls of parts, checks."""
    yield "{"
    if size:
        yield f"    double work[{size}];"
    checks = [(name, part, status) for name, part, status in _checks(program) if part]
    for name, part, _ in checks:
        yield f"    double {name}[{len(part)}];"
    finite = " && ".join(f"all_finite({name}, {length})" for name, length in program.inputs)
    yield "    int status = 0;"
    yield f"    if (!({finite})) {{"
    yield "        status = 1;"
    for vector, first in program.quaternions:
        name = program.inputs[vector][0]
        squares = " + ".join(f"{name}[{k}] * {name}[{k}]" for k in range(first, first + 4))
        yield f"    }} else if ({squares} < {SMALLEST_NORM**2!r}) {{"
        yield "        status = 1;"
    yield "    } else {"
    yield from calls
    for name, part, status in checks:  # the last one decides: of loops that do not close all is NaN
        yield f"        for (int k = 0; k < {len(part)}; ++k) {{"
        yield f"            if (!({name}[k] > 0.0)) {{"
        yield f"                status = {status};"
        yield "            }"
        yield "        }"
    finite = " && ".join(f"all_finite({result.name}, {len(result.lines)})" for result in program.results)
    yield f"        if (status == 0 && !({finite})) {{"
    yield "            status = 2;"
    yield "        }"
    yield "    }"
    yield "    if (status != 0) {"
    for result in program.results:
        yield f"        fill_with_nan({result.name}, {len(result.lines)});"
    yield "    }"
    yield "    return status;"
    yield "}"


def _checks(program: Program) -> tuple[tuple[str, tuple[int, ...], int], ...]:
    """Return the arrays whose elements must be positive: name, lines, and the status otherwise."""
    return ("pivots", program.pivots, 3), ("reach", program.reach, 4)


def _outputs(program: Program) -> dict[int, list[str]]:
    """Return by line the elements of results, pivots and reach that it is written to."""
    outputs: defaultdict[int, list[str]] = defaultdict(list)
    for result in program.results:
        for k, line in enumerate(result.lines):
            outputs[line].append(f"{result.name}[{k}]")
    for name, part, _ in _checks(program):
        for k, line in enumerate(part):
            outputs[line].append(f"{name}[{k}]")
    return outputs


def _body(
    program: Program, lines: list[int], slots: dict[int, int], outputs: dict[int, list[str]]
) -> Iterator[str]:
    """Yield a part's statements: its lines, each preceded by loads of values from earlier parts."""
    known = set(lines)
    for line in lines:
        operation = program.lines[line]
        values = []
        for operand in operation.operands:
            if program.lines[operand].operands and operand not in known:
                yield f"    const double v{operand} = work[{slots[operand]}];"
                known.add(operand)
            values.append(_value(program, operand))
        if operation.kind in _SIGNS:
            value = f" {_SIGNS[operation.kind]} ".join(values)
        else:
            value = f"-{values[0]}" if operation.kind == "neg" else f"{operation.kind}({', '.join(values)})"
        yield f"    const double v{line} = {value};"
        if line in slots:
            yield f"    work[{slots[line]}] = v{line};"
        for target in outputs.get(line, ()):
            yield f"    {target} = v{line};"


def _value(program: Program, line: int) -> str:
    """Return a line as an operand in C; repr gives decimals that are read back exactly."""
    operation = program.lines[line]
    if operation.kind == "constant":
        return repr(operation.value)
    if operation.kind == "input":
        return f"{program.inputs[operation.first][0]}[{operation.second}]"
    return f"v{line}"


def _used_names(body: list[str], program: Program) -> dict[str, str]:
    """Return the arrays that statements use, by name with their types: parameters of a part's function."""
    kinds = {name: "const double" for name, _ in program.inputs}
    results = (result.name for result in program.results)
    kinds |= dict.fromkeys((*results, "pivots", "reach", "work"), "double")
    used = {name for line in body for name in re.findall(r"\b(\w+)\[", line)}
    return {name: kind for name, kind in kinds.items() if name in used}
