"""What a finished study says: tables, pictures, one page."""

from .findings import Design, Findings, findings_of
from .report import written_report
from .summary import summary_lines

__all__ = ["Design", "Findings", "findings_of", "summary_lines", "written_report"]
