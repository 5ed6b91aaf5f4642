"""A contract for import-linter, whose own ones can forbid packages but not allow only some."""

from __future__ import annotations

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

ALWAYS_ALLOWED = {"__future__", "collections", "typing"}  # annotations


class AllowedOnly(Contract):
    """Every module of `source_package` imports only from itself and from the packages in `allowed`."""

    type_name = "allowed_only"

    source_package = fields.StringField()
    allowed = fields.SetField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Collect the imports that lead elsewhere."""
        package = str(self.source_package)
        allowed = {str(name) for name in self.allowed} | ALWAYS_ALLOWED | {package}
        offenders = sorted(
            f"{module} -> {imported}"
            for module in {package} | graph.find_descendants(package)
            for imported in graph.find_modules_directly_imported_by(module)
            if not any(imported == name or imported.startswith(f"{name}.") for name in allowed)
        )
        return ContractCheck(kept=not offenders, metadata={"offenders": offenders})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print them."""
        for offender in check.metadata["offenders"]:
            output.print_error(offender)
