"""Names of C++ functions as the compilers write them."""

import re


def mangled(name):
    return f"_Z{len(name)}{name}"


def plain_name(symbol):
    """ncclDevKernel_X of _Z15ncclDevKernel_X24ncclDevKernelArgs…"""
    found = re.match(r"_Z(\d+)", symbol)
    if found is None:
        return None
    start = found.end()
    return symbol[start : start + int(found.group(1))]
