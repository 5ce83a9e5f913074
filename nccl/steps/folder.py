"""What lies where in the folder of a built NCCL. All paths in it are relative to it: it may move."""

import json
from dataclasses import dataclass
from pathlib import Path

LIBRARY = "libnccl.so.2"
RECORD = "build.json"


@dataclass(frozen=True)
class Folder:
    root: Path

    @property
    def library(self):
        return self.root / LIBRARY

    @property
    def tree(self):  # NCCL's own source
        return self.root / "source"

    @property
    def generated(self):  # by NCCL's generators
        return self.root / "generated"

    @property
    def modules(self):  # one source file a device module
        return self.root / "modules"

    @property
    def objects(self):  # while it is built
        return self.root / "objects"

    @property
    def ptx(self):
        return self.root / "ptx"

    @property
    def cuda(self):  # a copy of the simulation's headers, which it was built with
        return self.root / "cuda"

    @property
    def include(self):  # nccl.h
        return self.root / "include"

    def record(self):
        """What is known of the build; nothing where it is not complete."""
        try:
            return json.loads((self.root / RECORD).read_text())
        except (OSError, ValueError):
            return {}

    def write_record(self, record):
        (self.root / RECORD).write_text(json.dumps(record, indent=2) + "\n")
