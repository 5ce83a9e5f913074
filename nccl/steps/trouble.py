"""What goes wrong is told in one sentence: what, where, and how to mend it."""

import errno


class Trouble(Exception):
    """Ends the build. Its text is one sentence."""


def of_machine(error):
    """The sentence for an error of the operating system."""
    where = f" at {error.filename}" if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk is full{where}; free about 400 MiB, or name another folder with --out"
    return f"{error.strerror or error}{where}"


def first_line(text):
    """What a compiler said first that is an error; its first line where none is marked."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    signs = ("undefined reference", "No space", "error")  # a linker says why before "error"
    marked = [line for sign in signs for line in lines if sign in line.lower() or sign in line]
    return (marked or lines or ["it said nothing"])[0]
