// Starts child processes with a box.
#include "tests/harness/recorder/recorded.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "harness/base/files.h"
#include "harness/record/reader.h"

namespace gridlock {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

Recorded::Recorded(const std::vector<std::string>& command,
                   const std::vector<std::string>& environment) {
  box_ = memfd_create("box", MFD_CLOEXEC);
  int ends[2];
  if (box_ < 0 || pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no descriptors");
  pipe_ = ends[0];
  std::vector<std::string> variables = environment;
  for (char** variable = environ; *variable != nullptr; ++variable)
    variables.emplace_back(*variable);
  variables.push_back("GRIDLOCK_BOXES=/proc/" + std::to_string(getpid()) +
                      "/fd:" + std::to_string(box_));
  variables.emplace_back("LD_PRELOAD=" GRIDLOCK_RECORDER);
  variables.emplace_back("NVTX_INJECTION64_PATH=" GRIDLOCK_RECORDER);
  variables.emplace_back("LOCAL_RANK=0");
  variables.emplace_back("RANK=4");
  variables.emplace_back("WORLD_SIZE=8");
  std::vector<std::string> arguments = command;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  const int error = posix_spawnp(&pid_, arguments[0].c_str(), &actions, nullptr,
                                 pointers(arguments).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) throw std::runtime_error("cannot start " + command[0]);
}

Recorded::~Recorded() {
  if (!has_ended()) {
    kill(pid_, SIGKILL);
    waitpid(pid_, &status_, 0);
  }
  close(box_);
  close(pipe_);
}

bool Recorded::has_ended() {
  if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
  return ended_;
}

record::Snapshot Recorded::look() const {
  return record::read_file("/proc/self/fd/" + std::to_string(box_));
}

record::Snapshot Recorded::look_until(
    const std::function<bool(const record::Snapshot&)>& condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (;;) {
    const bool last = has_ended() || std::chrono::steady_clock::now() > limit;
    record::Snapshot snapshot = look();
    if (last || condition(snapshot)) return snapshot;
    std::this_thread::yield();
  }
}

int Recorded::wait() {
  char text[4096];
  for (ssize_t size = 0; (size = read(pipe_, text, sizeof text)) > 0;) {
    output_.append(text, static_cast<std::size_t>(size));
  }
  if (!ended_) waitpid(pid_, &status_, 0);
  ended_ = true;
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_);
}

std::vector<std::string> part(std::string_view name) {
  return {"/proc/self/exe", "--part", std::string(name)};
}

record::Snapshot after(std::string_view name, const std::vector<std::string>& environment,
                       const std::string& output) {
  Recorded child(part(name), environment);
  EXPECT_EQ(child.wait(), 0) << child.output();
  EXPECT_EQ(child.output(), output);
  record::Snapshot snapshot = child.look();
  EXPECT_EQ(snapshot.damage, "");
  EXPECT_FALSE(snapshot.overrun);
  EXPECT_EQ(snapshot.pid, child.pid());
  return snapshot;
}

}  // namespace gridlock
