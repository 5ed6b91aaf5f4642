"""Contracts that import-linter does not have: imports from listed packages only, and no import cycles."""

from graphlib import CycleError, TopologicalSorter

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

ALWAYS_ALLOWED = {"__future__", "collections", "typing"}  # annotations


class AllowedOnly(Contract):
    """Every module of `source_package` imports only from itself, from the packages in `allowed`, and from the
    modules in `exactly`, not from what is within them."""

    type_name = "allowed_only"

    source_package = fields.StringField()
    allowed = fields.SetField(subfield=fields.StringField())
    exactly = fields.SetField(subfield=fields.StringField(), required=False)

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Collect the imports from other packages."""
        package = str(self.source_package)
        allowed = {str(name) for name in self.allowed} | ALWAYS_ALLOWED | {package}
        exactly = {str(name) for name in self.exactly or ()}
        offenders = sorted(
            f"{module} -> {imported}"
            for module in {package} | graph.find_descendants(package)
            for imported in graph.find_modules_directly_imported_by(module)
            if imported not in exactly
            and not any(imported == name or imported.startswith(f"{name}.") for name in allowed)
        )
        return ContractCheck(kept=not offenders, metadata={"offenders": offenders})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print them."""
        for offender in check.metadata["offenders"]:
            output.print_error(offender)


class NoCycles(Contract):
    """No modules import each other in a cycle."""

    type_name = "no_cycles"

    ignore_imports = fields.SetField(subfield=fields.StringField(), required=False)

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Find one cycle."""
        imports = {module: set(graph.find_modules_directly_imported_by(module)) for module in graph.modules}
        for ignored in self.ignore_imports or ():
            module, _, imported = str(ignored).partition(" -> ")
            imports[module].discard(imported)
        try:
            TopologicalSorter(imports).prepare()
        except CycleError as error:
            return ContractCheck(kept=False, metadata={"cycle": error.args[1][::-1]})
        return ContractCheck(kept=True)

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print it."""
        output.print_error(" -> ".join(check.metadata["cycle"]))
