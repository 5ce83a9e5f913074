// The real NCCL's device code, compiled by clang against our own headers, loads: every opcode is
// known, and its modules link. The test skips with a reason if the sources are missing.
#include <gtest/gtest.h>

#include <bit>

#include "tests/sim/ptx/clang.h"
#include "tests/sim/ptx/run.h"

namespace sim::ptx {
namespace {

namespace fs = std::filesystem;

// A sibling of the source tree.
fs::path shared() {
  for (const char* at : {"/../shared", "/../../shared"}) {
    fs::path found = fs::path(GRIDLOCK_SOURCE).string() + at;
    if (fs::exists(found / "nccl") && fs::exists(found / "prototype/inc")) return found;
  }
  return {};
}

std::string number_of(const std::string& makefile, const std::string& name) {
  const std::size_t at = makefile.find("\n" + name);
  const std::size_t first = makefile.find_first_of("0123456789", at);
  return makefile.substr(first, makefile.find_first_not_of("0123456789", first) - first);
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
}

void make_headers(const fs::path& tree, const Folder& folder) {
  const std::string version = "\n" + read_file(tree / "makefiles/version.mk");
  const std::string major = number_of(version, "NCCL_MAJOR");
  const std::string minor = number_of(version, "NCCL_MINOR");
  const std::string patch = number_of(version, "NCCL_PATCH");
  std::string header = read_file(tree / "src/nccl.h.in");
  replace_all(header, "${nccl:Major}", major);
  replace_all(header, "${nccl:Minor}", minor);
  replace_all(header, "${nccl:Patch}", patch);
  replace_all(header, "${nccl:Suffix}", "");
  replace_all(header, "${nccl:Version}",
              std::to_string(std::stoi(major) * 10000 + std::stoi(minor) * 100 + std::stoi(patch)));
  write_file(folder / "nccl.h", header);
  write_file(folder / "nccl_git_version.h", "");
}

std::string flags_of(const fs::path& tree, const fs::path& from, const Folder& folder) {
  const std::string src = (tree / "src").string();
  return std::string(kForPtx) +
         "-std=c++17 -O2 -fgpu-rdc -Xclang -fcuda-allow-variadic-functions "
         "-include cuda_runtime.h -I" +
         (from / "prototype/inc").string() + " -I" + (folder / "") + " -I" + src + "/device -I" +
         src + "/include -I" + src + "/include/plugin -I" + src +
         " -DNCCL_OS_LINUX -DNCCL_GIN_GDAKI_ENABLE=0 -DNCCL_GIN_GPI_ENABLE=0 ";
}

class PtxOfNccl : public testing::TestWithParam<const char*> {};

TEST_P(PtxOfNccl, Loads) {
  if (clang().empty()) GTEST_SKIP() << "no clang 16 or later with the NVPTX target is installed";
  const fs::path from = shared();
  const std::string version = GetParam();
  const fs::path tarball = from / "nccl" / ("nccl-" + version + ".tar.xz");
  if (from.empty() || !fs::exists(tarball))
    GTEST_SKIP() << "the sources of NCCL " << version << " are not at hand";
  if (!shell("python3 --version")) GTEST_SKIP() << "NCCL's generator needs python3";
  const Folder folder;
  ASSERT_TRUE(shell("tar xf " + tarball.string() + " -C " + (folder / "")));
  const fs::path tree = folder / ("nccl-" + version);
  make_headers(tree, folder);
  fs::create_directory(folder / "gen");
  ASSERT_TRUE(shell("cd " + (tree / "src/device").string() + " && python3 generate.py " +
                    (folder / "gen") + " 'AllReduce Sum f32 RING *|SendRecv'"));
  std::vector<fs::path> sources{tree / "src/device/common.cu"};
  for (const auto& file : fs::directory_iterator(folder / "gen")) {
    if (file.path().extension() == ".cu") sources.push_back(file.path());
  }
  const std::string flags = flags_of(tree, from, folder);
  std::vector<std::string> texts;
  for (const fs::path& source : sources) {
    ASSERT_TRUE(shell(clang() + flags + source.string() + " -o " + (folder / "out.ptx"))) << source;
    texts.push_back(read_file(folder / "out.ptx"));
  }
  std::vector<ModuleText> modules;
  for (std::size_t n = 0; n < texts.size(); ++n)
    modules.push_back({sources[n].filename(), texts[n]});
  const Program program(modules);
  EXPECT_GE(program.kernels().size(), 3U);
  for (const std::string& name : program.kernels()) {
    EXPECT_GT(program.kernel(name)->static_shared_bytes, 10'000U) << name;  // ncclShmem
    EXPECT_GE(program.kernel(name)->dynamic_shared_offset,
              program.kernel(name)->static_shared_bytes);
  }
  EXPECT_TRUE(program.variable("ncclDevFuncTable").has_value());
}

// The kernel of a communicator with one rank: it multiplies by a scalar.
TEST_P(PtxOfNccl, OneRankReduceGivesTheRightNumbers) {
  const fs::path from = shared();
  const std::string version = GetParam();
  const fs::path tarball = from / "nccl" / ("nccl-" + version + ".tar.xz");
  if (clang().empty() || from.empty() || !fs::exists(tarball)) {
    GTEST_SKIP() << "clang or the sources of NCCL " << version << " are not at hand";
  }
  const Folder folder;
  ASSERT_TRUE(shell("tar xf " + tarball.string() + " -C " + (folder / "")));
  const fs::path tree = folder / ("nccl-" + version);
  make_headers(tree, folder);
  ASSERT_TRUE(shell(clang() + flags_of(tree, from, folder) +
                    (tree / "src/device/onerank.cu").string() + " -o " + (folder / "out.ptx")));
  const std::string text = read_file(folder / "out.ptx");
  const ModuleText module{"onerank", text};
  const Program program({&module, 1});
  const Function* kernel = nullptr;
  for (const std::string& name : program.kernels()) {
    if (name.find("FuncPreMulSumIfE") != std::string::npos) kernel = program.kernel(name);
  }
  ASSERT_NE(kernel, nullptr);
  constexpr std::size_t kCount = 10'007;
  std::vector<float> in(kCount);
  std::vector<float> out(kCount + 1, -1.0F);
  for (std::size_t n = 0; n < kCount; ++n) in[n] = static_cast<float>(n) * 0.25F;
  Memory memory;
  memory.add(in.data(), kCount * sizeof(float), false);
  memory.add(out.data(), out.size() * sizeof(float));
  // void* to, void* from, size_t count, uint64_t scalar, bool it is a pointer
  ASSERT_EQ(kernel->parameter_bytes, 33U);
  std::vector<std::byte> parameters(33);
  const void* const buffers[2] = {out.data(), in.data()};
  const std::uint64_t count_and_scalar[2] = {kCount, std::bit_cast<std::uint32_t>(1.5F)};
  std::memcpy(parameters.data(), buffers, 16);
  std::memcpy(parameters.data() + 16, count_and_scalar, 16);
  Launch launch;
  launch.kernel = kernel;
  launch.grid[0] = 3;
  launch.block[0] = 512;
  launch.parameters = parameters;
  const Outcome outcome = Execution(program, memory, launch).run({});
  ASSERT_EQ(outcome.kind, Outcome::Kind::kCompleted)
      << outcome.failure.value_or(Failure{}).sentence;
  for (std::size_t n = 0; n < kCount; ++n) ASSERT_EQ(out[n], in[n] * 1.5F) << n;
  EXPECT_EQ(out[kCount], -1.0F);
}

INSTANTIATE_TEST_SUITE_P(Versions, PtxOfNccl, testing::Values("2.28.9-1", "2.30.7-1"));

}  // namespace
}  // namespace sim::ptx
