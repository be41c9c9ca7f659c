"""Any JSON value, with half surrogate pairs and numbers at the edges."""

from __future__ import annotations

from hypothesis import strategies as st

# Halves only: a whole pair, escaped, is read as the one character it stands for.
HALVES = ["\ud800", "\udfff\ud800", "a\udc00"]
strings = st.text(max_size=6) | st.sampled_from(HALVES)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | strings,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(strings, inner, max_size=4),
    max_leaves=12,
)
