"""The Arrow C data interface as its specification lays it out, read with ctypes."""

import ctypes as c


class ArrowSchema(c.Structure):
    pass


class ArrowArray(c.Structure):
    pass


class ArrowStream(c.Structure):
    pass


ArrowSchema._fields_ = [("format", c.c_char_p), ("name", c.c_char_p), ("metadata", c.c_char_p), ("flags", c.c_int64),
                        ("n_children", c.c_int64), ("children", c.POINTER(c.POINTER(ArrowSchema))),
                        ("dictionary", c.POINTER(ArrowSchema)), ("release", c.CFUNCTYPE(None, c.c_void_p)),
                        ("private_data", c.c_void_p)]
ArrowArray._fields_ = [("length", c.c_int64), ("null_count", c.c_int64), ("offset", c.c_int64),
                       ("n_buffers", c.c_int64), ("n_children", c.c_int64), ("buffers", c.POINTER(c.c_void_p)),
                       ("children", c.POINTER(c.POINTER(ArrowArray))), ("dictionary", c.POINTER(ArrowArray)),
                       ("release", c.CFUNCTYPE(None, c.c_void_p)), ("private_data", c.c_void_p)]
ArrowStream._fields_ = [("get_schema", c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(ArrowSchema))),
                        ("get_next", c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(ArrowArray))),
                        ("get_last_error", c.CFUNCTYPE(c.c_char_p, c.c_void_p)),
                        ("release", c.CFUNCTYPE(None, c.c_void_p)), ("private_data", c.c_void_p)]


def pointer(capsule, name):
    get = c.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = c.c_void_p, [c.py_object, c.c_char_p]
    return get(capsule, name)


def texts(array):
    offsets = (c.c_int32 * (array.length + 1)).from_address(array.buffers[1])
    data = c.string_at(array.buffers[2], offsets[array.length]) if array.length else b""
    return [data[offsets[i]:offsets[i + 1]].decode() for i in range(array.length)]


def values(schema, array):
    """The values of an array of numbers, or of codes of a dictionary; None where there is none."""
    kind = {b"l": c.c_int64, b"L": c.c_uint64, b"i": c.c_int32}[schema.format]
    found = list((kind * array.length).from_address(array.buffers[1])) if array.length else []
    bits = array.buffers[0] and c.string_at(array.buffers[0], (array.length + 7) // 8)
    if schema.dictionary:
        names = texts(array.dictionary.contents)
        found = [names[code] if code < len(names) else None for code in found]
    return [value if not bits or bits[i // 8] >> i % 8 & 1 else None for i, value in enumerate(found)]
