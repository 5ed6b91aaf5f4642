"""Running a kernel: one state, batches on threads, generated code."""
