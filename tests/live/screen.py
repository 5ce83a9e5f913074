"""A small terminal: enough of one to see what stays on the screen, and what has scrolled away."""

import os
import pty
import re
import select
import signal
import struct
import subprocess
import fcntl
import termios
import time

SEQUENCE = re.compile(r"\033\[(\d*)([A-Za-z])")


class Screen:
    """Understands new lines, carriage returns, the cursor going up, clearing downwards, and colors."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.lines, self.row, self.column = [""], 0, 0
        self.scrolled = 0  # lines that have left the screen at its top
        self.colors = 0
        self.wide = []  # lines that did not fit and went on below

    def feed(self, text):
        at = 0
        while at < len(text):
            found = SEQUENCE.match(text, at)
            if found:
                self._do(found[2], int(found[1] or 0))
                at = found.end()
                continue
            self._put(text[at])
            at += 1

    def _next_row(self):
        self.row += 1
        if self.row == len(self.lines):
            self.lines.append("")
        if self.row == self.rows:
            self.lines.pop(0)
            self.row -= 1
            self.scrolled += 1

    def _do(self, what, count):
        if what == "A":
            assert self.row >= count, "the cursor leaves the screen at its top"
            self.row -= count
        elif what == "J":
            self.lines[self.row] = self.lines[self.row][: self.column]
            del self.lines[self.row + 1:]
        elif what == "m":
            self.colors += count != 0
        else:
            raise AssertionError(f"an unknown sequence: {what}")

    def _put(self, letter):
        if letter == "\n":
            self._next_row()
        elif letter == "\r":
            self.column = 0
        else:
            assert letter >= " ", f"a control character: {letter!r}"
            if self.column == self.columns:
                self.wide.append(self.lines[self.row])
                self._next_row()
                self.column = 0
            line = self.lines[self.row].ljust(self.column)
            self.lines[self.row] = line[: self.column] + letter + line[self.column + 1:]
            self.column += 1


def on_terminal(command, folder, columns=100, rows=24, environment=None, looks=None, interrupt_after=None):
    """Runs the command on a terminal of its own. Calls looks(screen) after every piece of output.

    Returns the exit code and the screen.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    variables = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    begun = subprocess.Popen(command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs,
                             env={**variables, **(environment or {})}, start_new_session=True)
    os.close(theirs)
    screen, began, rest = Screen(columns, rows), time.monotonic(), b""
    while True:
        if interrupt_after and time.monotonic() - began > interrupt_after:
            os.kill(begun.pid, signal.SIGINT)
            interrupt_after = None
        if not select.select([ours], [], [], 0.1)[0]:
            continue
        try:
            piece = os.read(ours, 65536)
        except OSError:  # Linux says so when the last writer has gone
            break
        if not piece:
            break
        rest += piece
        # A letter of several bytes, or a sequence, may come in two pieces.
        end = max(rest.rfind(b"\n"), rest.rfind(b"J"), rest.rfind(b"m")) + 1
        screen.feed(rest[:end].decode())
        rest = rest[end:]
        if looks:
            looks(screen)
    screen.feed(rest.decode())
    os.close(ours)
    return begun.wait(), screen
