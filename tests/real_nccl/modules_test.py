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
from steps.parameters import mark_only_read  # noqa: E402
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

    def compiled(self, version, module):
        wanted = VERSIONS[version]
        source.fetch(SOURCES, wanted, self.folder.tree)
        shutil.copytree(
            ROOT / "sim/include", self.folder.cuda, ignore=shutil.ignore_patterns("nccl.h")
        )
        source.edit(self.folder.tree, wanted)
        headers.write_generated(self.folder, wanted)
        modules.write_modules(self.folder)
        self.folder.ptx.mkdir()
        device.compile_module(self.folder, module, clang(), wanted.flags)
        return (self.folder.ptx / f"{module}.ptx").read_text()

    @unittest.skipUnless(clang() and SOURCES.is_dir(), "needs clang 19 and NCCL's source")
    def test_warps_without_a_part_in_a_copy_go_on(self):
        self.assertNotIn("exit;", self.compiled("2.18.3", "AllReduce_Sum_f32_RING_LL"))

    @unittest.skipUnless(clang() and SOURCES.is_dir(), "needs clang 19 and NCCL's source")
    def test_no_thread_copies_the_parameters_of_its_kernel(self):
        text = self.compiled("2.28.9", "AllReduce_Sum_f32_RING_LL")
        self.assertIn("_param_0[4096]", text)
        self.assertIn("cvta.param.u64", text)
        self.assertNotIn(".local", text)


class OnlyRead(unittest.TestCase):
    KERNEL = "define void @k(i32 %0, ptr nocapture readonly byval(%struct.a) align 16 %1, ptr byval([4 x i8]) %2) #0 {\n}\n"

    def test_a_parameter_that_is_only_read_is_a_grid_constant(self):
        text = self.KERNEL + '!nvvm.annotations = !{!0}\n!0 = !{ptr @k, !"kernel", i32 1}\n!7 = !{}\n'
        marked = mark_only_read(text)
        self.assertIn("!nvvm.annotations = !{!0, !8}\n", marked)
        self.assertIn('!8 = !{ptr @k, !"grid_constant", !9}\n!9 = !{i32 2}\n', marked)
        self.assertEqual(marked.count("!nvvm.annotations"), 1)

    def test_newer_clangs_name_kernels_by_their_convention(self):
        text = self.KERNEL.replace("void @k", "dso_local ptx_kernel void @k")
        self.assertIn("!nvvm.annotations = !{!0}\n", mark_only_read(text))

    def test_what_is_no_kernel_or_is_written_stays_as_it_is(self):
        for text in (self.KERNEL, self.KERNEL.replace("readonly ", "") + '!0 = !{ptr @k, !"kernel", i32 1}\n'):
            self.assertEqual(mark_only_read(text), text)


if __name__ == "__main__":
    unittest.main()
