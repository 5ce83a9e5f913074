// `gridlock watch` on real PyTorch under its torchrun: agent, store, Gloo's event loops, and a
// DataLoader's workers. Skipped if PyTorch is missing.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/end_to_end/command.h"

namespace gridlock::end_to_end {
namespace {

struct Hang {
  const char* name;  // where rank 1 goes while rank 0 waits in an all-reduce
  const char* outcome;
};

// Debian's python3-torch is for the system's Python. Empty: none has PyTorch.
std::string python_with_pytorch() {
  for (const std::string python : {"python3", "/usr/bin/python3"}) {
    const std::string import = python + " -c 'import torch.distributed.run' 2>/dev/null";
    if (std::system(import.c_str()) == 0) return python;
  }
  return "";
}

class PyTorch : public testing::TestWithParam<Hang> {};

TEST_P(PyTorch, IsProvenDeadOnlyWhereItHangs) {
  const std::string python = python_with_pytorch();
  if (python.empty()) GTEST_SKIP() << "there is no PyTorch (Debian: python3-torch)";
  const std::string tests = GRIDLOCK_SOURCE "/tests";
  const std::string port = std::to_string(20000 + getpid() % 10000);
  const Folder folder;
  // The port is free on most machines most of the time.
  const std::vector<std::string> words{"watch",
                                       "-n",
                                       "2",
                                       "--ranks-by-program",
                                       "--json",
                                       "out.json",
                                       "--on-stall",
                                       "kill",
                                       "--",
                                       "env",
                                       "PYTHONDONTWRITEBYTECODE=1",
                                       "OMP_NUM_THREADS=1",
                                       "ADVERSARIAL_FOLDER=" + folder.path().string(),
                                       "ADVERSARIAL_SIM=" GRIDLOCK_BUILD "/libnccl.so.2",
                                       "PYTHONPATH=" + tests + "/adversarial/setup",
                                       python,
                                       tests + "/end_to_end/pytorch/torchrun.py",
                                       "--nproc_per_node=2",
                                       "--monitor_interval=0.2",
                                       "--master_port=" + port,
                                       tests + "/end_to_end/pytorch/train.py",
                                       GetParam().name};
  const Done done = gridlock(words, folder);
  const nlohmann::json run = read_json(folder.path() / "out.json").at("runs").at(0);
  EXPECT_EQ(run.at("outcome"), GetParam().outcome) << done.output;
}

// Rank 1 has left, or waits for rank 0, which waits for it.
INSTANTIATE_TEST_SUITE_P(Hangs, PyTorch,
                         testing::Values(Hang{"nowhere", "completes"}, Hang{"exit", "deadlock"},
                                         Hang{"barrier", "deadlock"}, Hang{"store", "deadlock"}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace gridlock::end_to_end
