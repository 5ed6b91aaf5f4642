"""What a test may spend, the count of what came of it, and what is needed to see a finding again."""

from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

MOST_FINDINGS = 20  # that are kept of one test; all are counted
KINDS = ("tried", "right", "refused", "wrong", "died")


@dataclass(frozen=True)
class Effort:
    """What a test may spend.

    Attributes:
        seed: of all random choices. short: about five seconds for a test. mutations: of descriptions.
        soak_minutes: of the soak. folder: of logs and of the inputs of findings.
    """

    seed: int
    short: bool
    mutations: int
    soak_minutes: float
    folder: Path

    def of(self, short: float, full: float) -> float:
        """One of two amounts."""
        return short if self.short else full


@dataclass(frozen=True)
class Finding:
    """A wrong outcome or a death: what happened, and the file of the input, if there is one."""

    kind: str
    text: str
    file: Path | None


@dataclass
class Tally:
    """Outcomes of one test.

    What was tried is neither right nor refused where nothing had to be processed, such as a state that a
    flooded node has passed over for a newer one.

    Attributes:
        folder: where inputs of findings are kept, and each at once in findings.txt. seed: of the test.
        logs: files that belong to every finding.
    """

    test: str
    folder: Path
    seed: int
    tried: int = 0
    right: int = 0
    refused: int = 0
    wrong: int = 0
    died: int = 0
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether anything was wrong or died, or nothing was right: then the test is at fault."""
        return bool(self.wrong or self.died) or self.tried == 0 or self.right == 0

    def found_wrong(self, text: str, data: str | bytes | None = None) -> None:
        """A wrong number, a raw error, an answer that must not be, or none where one must be."""
        self.wrong += 1
        self._keep("wrong", text, data)

    def found_dead(self, text: str, data: str | bytes | None = None) -> None:
        """A process has ended that nobody ended."""
        self.died += 1
        self._keep("died", text, data)

    def _keep(self, kind: str, text: str, data: str | bytes | None) -> None:
        if len(self.findings) >= MOST_FINDINGS:
            return
        file = None
        if data is not None:
            self.folder.mkdir(parents=True, exist_ok=True)
            file = self.folder / f"{self.test.replace(' ', '_')}_{len(self.findings)}.input"
            file.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))
        self.findings.append(Finding(kind, text, file))
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "findings.txt").open("a", encoding="utf-8", errors="replace") as lines:
            print(f"{self.test}, seed {self.seed}, {kind}: {text} [{file or ''}]", file=lines)


def print_table(tallies: list[Tally], console: Console) -> None:
    """The table of all tests, and then each finding."""
    table = Table("test", *KINDS)
    for column in table.columns[1:]:
        column.justify = "right"
    for tally in tallies:
        numbers = [str(getattr(tally, kind)) for kind in KINDS]
        table.add_row(f"[red]{tally.test}[/]" if tally.failed else tally.test, *numbers)
    console.print(table)
    for tally in tallies:
        for note in tally.notes:
            console.print(f"{tally.test}: {escape(note)}", highlight=False)
        if tally.failed and not tally.findings:
            console.print(f"[red]{tally.test}:[/] nothing was right: the test is at fault")
        for finding in tally.findings:
            where = f" [{finding.file}]" if finding.file else ""
            text = escape(f"seed {tally.seed}: {finding.text}{where}")
            console.print(f"[red]{tally.test} {finding.kind}:[/] {text}", highlight=False)
