"""Bad input of nccl/build.py: one clear sentence, a non-zero exit code, and nothing left behind."""

import io
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "nccl"))
from steps import headers, modules, source  # noqa: E402
from steps.trouble import Trouble, of_machine  # noqa: E402
from steps.versions import VERSIONS, version  # noqa: E402


class Builds(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory(prefix="gridlock-")
        self.addCleanup(self.place.cleanup)
        self.folder = Path(self.place.name)
        self.cuda = self.folder / "cuda"
        self.cuda.mkdir()
        (self.cuda / "libgridlock_cuda.so").touch()

    def build(self, name, *arguments, **environment):
        command = [sys.executable, ROOT / "nccl/build.py", name, "--out", self.folder / "out"]
        command += ["--headers", ROOT / "sim/include", "--cuda", self.cuda, *arguments]
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **environment},
        )

    def refused(self, done, *words):
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        out = self.folder / "out"
        left = [p.name for p in out.iterdir() if not p.name.endswith(".lock")] if out.exists() else []
        self.assertEqual(left, [])

    def test_unknown_version_names_the_known(self):
        self.refused(self.build("2.99.1"), "2.99.1 is not known", *VERSIONS)

    def test_no_clang(self):
        done = self.build("2.28.9", "--source", self.folder, GRIDLOCK_CLANG="no-such-clang")
        self.refused(done, "no-such-clang", "clang 19", "install clang-19")

    def test_too_old_a_clang(self):
        old = self.folder / "clang++"
        old.write_text("#!/bin/sh\necho 'Debian clang version 14.0.6'\n")
        old.chmod(0o755)
        done = self.build("2.28.9", "--source", self.folder, GRIDLOCK_CLANG=str(old))
        self.refused(done, "is clang 14", "19 or newer")

    def with_clang(self):
        new = self.folder / "clang++"
        new.write_text("#!/bin/sh\necho 'clang version 19.1.0'\n")
        new.chmod(0o755)
        return {"GRIDLOCK_CLANG": str(new)}

    def test_no_source(self):
        done = self.build("2.28.9", "--source", self.folder / "none", **self.with_clang())
        self.refused(done, "there is no", "--source")

    def test_empty_folder(self):
        done = self.build("2.28.9", "--source", self.cuda, **self.with_clang())
        self.refused(done, "holds neither NCCL's src nor a tarball")

    def test_half_a_source_tree(self):
        (self.folder / "nccl/src").mkdir(parents=True)
        (self.folder / "nccl/src/init.cc").touch()
        done = self.build("2.28.9", "--source", self.folder / "nccl", **self.with_clang())
        self.refused(done, "is no whole source of NCCL", "LICENSE.txt")

    def test_damaged_tarball(self):
        path = self.folder / "nccl.tar.xz"
        path.write_bytes(b"\xfd7zXZ\x00 nothing of value")
        self.refused(self.build("2.28.9", "--source", path, **self.with_clang()), "cannot be unpacked")

    def test_no_simulated_cuda(self):
        (self.cuda / "libgridlock_cuda.so").unlink()
        self.refused(self.build("2.28.9", **self.with_clang()), "build Gridlock first")

    def test_full_disk(self):
        error = OSError(28, "No space left on device", "/somewhere")
        self.assertIn("the disk is full at /somewhere; free", of_machine(error))

    def test_tarballs_cannot_write_elsewhere(self):
        path = self.folder / "evil.tar"
        with tarfile.open(path, "w") as archive:
            for name in ("nccl/../../evil", "nccl/good"):
                member = tarfile.TarInfo(name)
                member.size = 1
                archive.addfile(member, io.BytesIO(b"x"))
        source.unpack(path, self.folder / "tree")
        self.assertTrue((self.folder / "tree/good").is_file())
        self.assertFalse((self.folder / "evil").exists())

    def test_headers_of_another_cuda(self):
        needs = self.folder / "x.d"
        own = self.folder / "own"
        needs.write_text(f"x.o: {own}/cuda_runtime.h /usr/include/stdio.h\n")
        headers.check_dependencies(needs, [own])
        needs.write_text(f"x.o: {own}/cuda_runtime.h \\\n /usr/local/cuda/include/cooperative_groups.h\n")
        with self.assertRaisesRegex(Trouble, "cooperative_groups.h is a header of another CUDA"):
            headers.check_dependencies(needs, [own])

    def test_modules_are_split_by_function(self):
        head, pieces = modules.split(
            '#include "common.h"\n'
            "DEFINE_ncclDevKernel(A_LL, x, 1)\n"
            "#if CUDART_VERSION >= 11000\n  #if X\n    DEFINE_ncclDevKernel_nop(B, x)\n  #else\n"
            "    DEFINE_ncclDevKernel(B, x)\n  #endif\n#endif\n"
            "DEFINE_ncclDevFunc(A_LL, x)\nDEFINE_ncclDevFunc(A_SIMPLE, x)\n"
        )
        self.assertEqual(head, '#include "common.h"\n')
        self.assertEqual(sorted(pieces), ["A_LL", "A_SIMPLE", "B"])
        self.assertEqual(pieces["A_LL"].count("DEFINE"), 2)
        self.assertEqual(pieces["B"].count("#if"), pieces["B"].count("#endif"))

    def test_names_of_versions(self):
        for name in ("2.28.9", "v2.28.9", "2.28.9-1", "v2.28.9-1"):
            self.assertEqual(version(name).code, 22809)


if __name__ == "__main__":
    unittest.main()
