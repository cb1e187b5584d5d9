"""Einstein sums: operand by operand, each pair one matmul."""

from collections.abc import Sequence
from string import ascii_letters

from rml_export.graph import Value
from rml_export.xla_ops.contraction import dot_general
from rml_export.xla_ops.emit import Emit, UnsupportedError
from rml_export.xla_ops.shapes import reshape, slice_axes, transpose


def einsum(emit: Emit, equation: str, operands: Sequence[Value]) -> Value:
    """NumPy's rules: an ellipsis broadcasts, a letter twice in a term is a diagonal, no arrow means sorted letters."""
    terms, out = letters_of(equation, operands)
    sizes = sizes_of(equation, terms, operands)
    parts = [spread(emit, *diagonal(emit, operand, term), sizes) for operand, term in zip(operands, terms, strict=True)]
    value, term = parts[0]
    for index, (other, letters) in enumerate(parts[1:], 1):
        later = set(out).union(*(item[1] for item in parts[index + 1 :]))
        value, term = product(emit, (value, term), (other, letters), later)
    value, term = summed(emit, value, term, set(out))
    return transpose(emit, value, [term.index(letter) for letter in out])


def letters_of(equation: str, operands: Sequence[Value]) -> tuple[list[str], str]:
    """Every term with letters of its own for the ellipsis, and the result's."""
    text = equation.replace(" ", "")
    left, arrow, out = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise UnsupportedError(f"the einsum '{equation}' of {len(operands)} operands")
    free = [letter for letter in ascii_letters if letter not in text]
    hidden = [operand.rank - len(term.replace("...", "")) for term, operand in zip(terms, operands, strict=True)]
    widest = max((count for term, count in zip(terms, hidden, strict=True) if "..." in term), default=0)
    if any(count < 0 or (count and "..." not in term) for term, count in zip(terms, hidden, strict=True)):
        raise UnsupportedError(f"the einsum '{equation}' of ranks {[operand.rank for operand in operands]}")
    if not arrow:
        once = sorted(letter for letter in set(left) - set(",.") if left.count(letter) == 1)
        out = ("..." if "..." in left else "") + "".join(once)
    spelled = [
        term.replace("...", "".join(free[widest - count : widest])) for term, count in zip(terms, hidden, strict=True)
    ]
    return spelled, out.replace("...", "".join(free[:widest]))


def sizes_of(equation: str, terms: Sequence[str], operands: Sequence[Value]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for term, operand in zip(terms, operands, strict=True):
        for letter, size in zip(term, operand.shape, strict=True):
            known = sizes.get(letter, 1)
            if known != size and 1 not in (known, size):
                raise UnsupportedError(f"the einsum '{equation}' with sizes {known} and {size} for one letter")
            sizes[letter] = known if size == 1 else size
    return sizes


def diagonal(emit: Emit, x: Value, term: str) -> tuple[Value, str]:
    """Each letter once."""
    for letter in dict.fromkeys(term):
        while term.count(letter) > 1:
            first, second = [axis for axis, item in enumerate(term) if item == letter][:2]
            rest = [axis for axis in range(x.rank) if axis not in (first, second)]
            n = x.shape[first]
            x = transpose(emit, x, [first, second, *rest])
            flat = reshape(emit, x, (n * n, *x.shape[2:]))
            x = slice_axes(emit, flat, [0] * flat.rank, list(flat.shape), [n + 1, *[1] * (flat.rank - 1)])
            term = letter + "".join(term[axis] for axis in rest)
    return x, term


def spread(emit: Emit, x: Value, term: str, sizes: dict[str, int]) -> tuple[Value, str]:
    """Axes of 1 that are larger elsewhere repeat."""
    shape = tuple(sizes[letter] for letter in term)
    return (x if x.shape == shape else emit("broadcast_to", x, shape=shape)), term


def summed(emit: Emit, x: Value, term: str, kept: set[str]) -> tuple[Value, str]:
    axes = tuple(axis for axis, letter in enumerate(term) if letter not in kept)
    if not axes:
        return x, term
    return emit("reduce_sum", x, axes=axes, keep_dims=False), "".join(letter for letter in term if letter in kept)


def product(emit: Emit, left: tuple[Value, str], right: tuple[Value, str], later: set[str]) -> tuple[Value, str]:
    """Two operands; a letter is summed over once nothing later needs it."""
    a, a_term = summed(emit, *left, later | set(right[1]))
    b, b_term = summed(emit, *right, later | set(a_term))
    shared = [letter for letter in a_term if letter in b_term]
    batch = [letter for letter in shared if letter in later]
    inner = [letter for letter in shared if letter not in later]
    outer = [letter for letter in a_term if letter not in shared]
    made = "".join([*batch, *outer, *(letter for letter in b_term if letter not in shared)])
    if not inner:  # no sum: a product of elements
        order = [letter for letter in made if letter in b_term]
        placed = transpose(emit, b, [b_term.index(letter) for letter in order])
        sizes = dict(zip(order, placed.shape, strict=True))
        wide = reshape(emit, placed, [sizes.get(letter, 1) for letter in made])
        first = transpose(emit, a, [a_term.index(letter) for letter in [*batch, *outer]])
        return emit("mul", reshape(emit, first, [*first.shape, *[1] * (len(made) - first.rank)]), wide), made
    axes = [
        ([a_term.index(letter) for letter in group], [b_term.index(letter) for letter in group])
        for group in (inner, batch)
    ]
    return dot_general(emit, a, b, axes[0], axes[1]), made
