"""What goes through the pipe between judge and worker: plain values and arrays of numbers, never pickle.

A message is a value. On the wire it is a number of parts: the first is JSON, the others are the bytes of arrays and
of `bytes`, to which the JSON refers by number. Both sides use this file; what it reads is plain, whoever wrote it.
"""
import json
import math
import re
import struct
import sys

LARGEST = 64 << 20         # bytes of a message
LARGEST_JSON = 16 << 20    # of which JSON: as Python objects it is many times larger
MOST_PARTS = 1 << 16
HEAD = struct.Struct("<I")
SIZE = struct.Struct("<Q")
NUMBERS = re.compile(r"[<>|][biufc](1|2|4|8|16)")  # the types of array that carry numbers and nothing else


class WireError(ValueError):
    """This cannot go through the pipe."""


def _simple(value, parts):
    """The value as JSON; what JSON cannot hold is tagged by an object of one key."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        value = value.item()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int.__index__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, complex):
        return {"c": [value.real, value.imag]}
    if isinstance(value, list):
        return [_simple(item, parts) for item in value]
    if isinstance(value, tuple):
        return {"t": [_simple(item, parts) for item in value]}
    if isinstance(value, dict):
        return {"d": [[_simple(key, parts), _simple(item, parts)] for key, item in value.items()]}
    if isinstance(value, (bytes, bytearray)):
        parts.append(bytes(value))
        return {"b": len(parts)}
    if numpy is not None and isinstance(value, numpy.ndarray):
        if not NUMBERS.fullmatch(value.dtype.str):
            raise WireError(f"an array of {value.dtype} cannot be handed over, only arrays of numbers")
        parts.append(value.tobytes())
        return {"a": [len(parts), value.dtype.str, list(value.shape)]}
    raise WireError(f"a {type(value).__name__} cannot be handed over: return plain values "
                    "(numbers, text, lists, tuples, dictionaries) or NumPy arrays of numbers")


def pack(value) -> bytes:
    parts = []
    try:
        first = json.dumps(_simple(value, parts)).encode()
    except RecursionError:
        raise WireError("a value that contains itself, or is nested too deeply, cannot be handed over") from None
    except ValueError as error:  # an integer of more digits than Python writes
        raise WireError(str(error)) from None
    parts.insert(0, first)
    if len(first) > LARGEST_JSON or sum(map(len, parts)) > LARGEST or len(parts) > MOST_PARTS:
        raise WireError(f"more than {LARGEST >> 20} MB (or {LARGEST_JSON >> 20} MB outside of arrays) in one value")
    return b"".join([HEAD.pack(len(parts)), *(SIZE.pack(len(part)) for part in parts), *parts])


def unpack(read):
    """The next message, where `read(n)` gives the next n bytes. Raises WireError where they make no sense."""
    count, = HEAD.unpack(read(HEAD.size))
    if not 1 <= count <= MOST_PARTS:
        raise WireError("not a message")
    sizes = [size for size, in SIZE.iter_unpack(read(SIZE.size * count))]
    if sizes[0] > LARGEST_JSON or sum(sizes) > LARGEST:
        raise WireError("too large a message")
    parts = [read(size) for size in sizes]
    try:
        return _value(json.loads(bytes(parts[0])), parts)
    except (RecursionError, ArithmeticError, LookupError, MemoryError, ValueError, TypeError, AttributeError) as error:
        raise WireError(f"not a message ({type(error).__name__})") from None


def _value(item, parts):
    if isinstance(item, list):
        return [_value(inner, parts) for inner in item]
    if not isinstance(item, dict):
        return item
    (tag, held), = item.items()
    if tag == "t":
        return tuple(_value(inner, parts) for inner in held)
    if tag == "d":
        return {_value(key, parts): _value(inner, parts) for key, inner in held}
    if tag == "c":
        return complex(*map(float, held))
    if tag == "b":
        return bytes(parts[held])
    if tag != "a":
        raise WireError("not a message")
    place, kind, shape = held
    if not NUMBERS.fullmatch(kind) or len(shape) > 32 or any(type(n) is not int or n < 0 for n in shape):
        raise WireError("not an array of numbers")
    import numpy
    dtype = numpy.dtype(kind)
    if math.prod(shape) * dtype.itemsize != len(parts[place]) or max(shape, default=0) >= 1 << 40:
        raise WireError("not an array of that shape")
    return numpy.frombuffer(parts[place], dtype).reshape(shape).copy()
