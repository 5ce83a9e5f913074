// The tool runs a compiler, so it must not inherit the libraries that are preloaded into a rank.
#include "sim/cuda/kernels/compile.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "sim/ptx/text/token.h"

namespace sim::kernels {
namespace {

std::vector<char*> environment() {
  std::vector<char*> kept;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with("LD_PRELOAD=") && !text.starts_with("LD_LIBRARY_PATH=")) {
      kept.push_back(*entry);
    }
  }
  kept.push_back(nullptr);
  return kept;
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t got = read(descriptor, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

void compile(const std::filesystem::path& tool, const std::string& module) {
  const std::string what = "the PTX module " + module + " cannot be made: ";
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw ptx::Refused(what + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::string path = tool;
  std::string name = module;
  char* const arguments[] = {path.data(), name.data(), nullptr};
  pid_t child = 0;
  const int error =
      posix_spawn(&child, path.c_str(), &actions, nullptr, arguments, environment().data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  const std::string said = error == 0 ? read_all(ends[0]) : "";
  close(ends[0]);
  if (error != 0) throw ptx::Refused(what + path + ": " + std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) throw ptx::Refused(what + (said.empty() ? path + " failed" : last_line(said)));
}

}  // namespace sim::kernels
