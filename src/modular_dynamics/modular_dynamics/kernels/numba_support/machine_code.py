"""Calling machine code that was generated for one robot (see codegen/)."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

__all__ = ["run_code"]


@intrinsic
def _run(typing, address, states, q, v, a, out):
    def generate(context, builder, sig, args):
        pointers = [
            builder.ptrtoint(context.make_array(kind)(context, builder, value).data, ir.IntType(64))
            for kind, value in zip(sig.args[1:], args[1:], strict=True)
        ]
        function = ir.FunctionType(ir.VoidType(), [ir.IntType(64)] * len(pointers))
        builder.call(builder.inttoptr(args[0], function.as_pointer()), pointers)
        return context.get_dummy_value()

    return types.void(address, states, q, v, a, out), generate


def run_code(address, states, q, v, a, out):
    """Run the machine code at ``address`` on the starts of five arrays. Needs the compiler."""
    raise NotImplementedError("machine code is not called from interpreted kernels")


@overload(run_code, inline="always")
def _(address, states, q, v, a, out):
    return lambda address, states, q, v, a, out: _run(address, states, q, v, a, out)
