"""How device code is compiled: the modules of versions without a generator, and what clang may not assume."""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "nccl"))
from steps import device, headers, macros, modules, source, tools  # noqa: E402
from steps.folder import Folder  # noqa: E402
from steps.trouble import Trouble  # noqa: E402
from steps.versions import VERSIONS  # noqa: E402

SOURCES = ROOT / "../shared/nccl"


def clang():
    try:
        return tools.clang().path
    except Trouble:
        return None


class Modules(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="gridlock-")
        self.addCleanup(place.cleanup)
        self.folder = Folder(Path(place.name).resolve())

    def test_a_module_for_each_function_that_has_code(self):
        index = macros.write_modules(self.folder, modules.LEFT_OUT)
        written = {path.stem for path in self.folder.modules.glob("*.cu")}
        self.assertEqual(set(index.values()), written)
        # Three collectives that reduce: ten types of five operations, and six of SumPostDiv; two that copy.
        self.assertEqual(len(written), (3 * 56 + 2) * 2 * 3 + 4)

    def test_a_module_calls_the_macros_with_the_makefiles_numbers(self):
        index = macros.write_modules(self.folder, modules.LEFT_OUT)
        function = macros.symbol("AllReduce_TREE_LL_Max___nv_bfloat16")
        self.assertEqual(index[function], "AllReduce_Max_bf16_TREE_LL")
        text = (self.folder.modules / "AllReduce_Max_bf16_TREE_LL.cu").read_text()
        self.assertIn("#define NCCL_OP 3\n#define NCCL_TYPE 9\n", text)
        self.assertIn("IMPL_COLL_FUNC(AllReduce, TREE, LL, Max, __nv_bfloat16)", text)
        self.assertNotIn("IMPL_COLL_KERN", text)

    def test_sums_in_ll_have_a_kernel(self):
        index = macros.write_modules(self.folder, modules.LEFT_OUT)
        text = (self.folder.modules / "Reduce_Sum_f32_RING_LL.cu").read_text()
        self.assertIn("IMPL_COLL_KERN(Reduce, RING, LL, Sum, float, FUNC_INDEX(ncclFuncReduce, ", text)
        kernel = "_Z35ncclKernel_Reduce_RING_LL_Sum_floatP11ncclDevCommmP8ncclWork"
        self.assertEqual(
            modules.module_of_kernel(kernel, self.folder, index), "Reduce_Sum_f32_RING_LL"
        )

    @unittest.skipUnless(clang() and SOURCES.is_dir(), "needs clang 19 and NCCL's source")
    def test_warps_without_a_part_in_a_copy_go_on(self):
        wanted = VERSIONS["2.18.3"]
        source.fetch(SOURCES, wanted, self.folder.tree)
        shutil.copytree(
            ROOT / "sim/include", self.folder.cuda, ignore=shutil.ignore_patterns("nccl.h")
        )
        headers.write_generated(self.folder, wanted)
        macros.write_modules(self.folder, modules.LEFT_OUT)
        self.folder.ptx.mkdir()
        device.compile_module(self.folder, "AllReduce_Sum_f32_RING_LL", clang(), wanted.flags)
        text = (self.folder.ptx / "AllReduce_Sum_f32_RING_LL.ptx").read_text()
        self.assertNotIn("exit;", text)


if __name__ == "__main__":
    unittest.main()
