"""The framework benchmark: ours against others, cell by cell, in interleaved pairs. Run by bench_frameworks.py."""
