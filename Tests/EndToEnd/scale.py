"""How much a test does: `make test` runs a small form of what `make test-long` runs in full."""

import os
from typing import TypeVar

Value = TypeVar("Value")

IS_LONG = os.environ.get("FRESHET_TEST_LONG") == "1"
"""Whether this is `make test-long`."""


def sized(usual: Value, *, long: Value) -> Value:
    """One of two sizes: of `make test`, or of `make test-long`."""
    return long if IS_LONG else usual
