// The calls that a sleeper is in, held against what the C library's own backtrace() says of them.
#include "harness/run/look/kernel/programs/frames.h"

#include <execinfo.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/run/look/kernel/address_space.h"
#include "tests/harness/run/look/kernel/asleep.h"

// Sanitizers keep frames in a register that not every call saves.
#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)

namespace gridlock::run {
namespace {

std::vector<Code> code_of(pid_t pid) {
  std::vector<Code> all;
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    Code code;
    std::array<char, 5> rights{};
    int path = 0;
    const int read = std::sscanf(line.c_str(), "%lx-%lx %4s %lx %*x:%*x %lu %n", &code.begin,
                                 &code.end, rights.data(), &code.offset, &code.inode, &path);
    if (read != 5 || rights[2] != 'x' || line[static_cast<std::size_t>(path)] != '/') continue;
    code.path = line.substr(static_cast<std::size_t>(path));
    all.push_back(code);
  }
  return all;
}

// A thread that sleeps below many calls, and has said before which they are.
struct Sleeper {
  std::array<int, 2> told{};
  std::array<int, 2> awaited{};
  Sleeper() {
    if (pipe(told.data()) != 0 || pipe(awaited.data()) != 0) throw std::bad_alloc();
  }
  ~Sleeper() {
    for (const int end : {told[0], told[1], awaited[0], awaited[1]}) close(end);
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

  [[gnu::noinline]] int sleep() const {
    std::array<void*, 64> calls{};
    const int depth = backtrace(calls.data(), static_cast<int>(calls.size()));
    std::array<std::uint64_t, 65> said{static_cast<std::uint64_t>(syscall(SYS_gettid))};
    for (std::size_t i = 0; i < static_cast<std::size_t>(depth); ++i) {
      said[i + 1] = reinterpret_cast<std::uint64_t>(calls[i]);
    }
    char byte = 0;
    return static_cast<int>(write(told[1], said.data(), sizeof said) +
                            read(awaited[0], &byte, sizeof byte));
  }

  [[gnu::noinline]] int sleep_below(int calls) const {
    const volatile int result = calls == 0 ? sleep() : sleep_below(calls - 1);
    return result + calls;
  }

  // The sleeper's thread, and its calls.
  std::vector<std::uint64_t> hear() const {
    std::vector<std::uint64_t> said(65);
    static_cast<void>(read(told[0], said.data(), said.size() * sizeof said[0]));
    said.erase(std::find(said.begin() + 1, said.end(), 0), said.end());
    return said;
  }
  void wake() const { static_cast<void>(write(awaited[1], "", 1)); }
};

// What the thread's stack and the modules say.
std::optional<CallChain> calls_of(pid_t pid, std::int64_t thread, std::span<const Code> code) {
  SystemCall call;
  while (!call.sleeps || call.number != SYS_read) call = system_call(pid, thread);
  std::vector<std::uint64_t> words(2048);
  constexpr std::size_t kStep = 8;
  std::size_t size = 0;
  while (size < words.size() &&
         read_memory(pid, call.stack + size * kStep,
                     std::as_writable_bytes(std::span(words).subspan(size, kStep)))) {
    size += kStep;
  }
  words.resize(size);
  return call_chain({.pointer = call.stack, .words = words}, call.instruction, code);
}

// Without the function that asked, and what it called then and later.
void expect_same(const std::optional<CallChain>& calls, std::vector<std::uint64_t> said) {
  ASSERT_TRUE(calls);
  const std::vector<std::uint64_t>& chain = calls->addresses;
  said.erase(said.begin(), said.begin() + 2);
  ASSERT_GE(said.size(), 20U);
  ASSERT_GT(chain.size(), said.size());
  EXPECT_TRUE(std::equal(said.rbegin(), said.rend(), chain.rbegin()));
}

TEST(Frames, AThreadsCallsAreThoseThatTheCompilersLibraryTells) {
  const Sleeper sleeper;
  std::thread thread([&] { sleeper.sleep_below(20); });
  const std::vector<std::uint64_t> said = sleeper.hear();
  expect_same(calls_of(getpid(), static_cast<std::int64_t>(said[0]), code_of(getpid())), said);
  sleeper.wake();
  thread.join();
}

TEST(Frames, AProcesssFirstThreadIsFollowedToTheProgramsStart) {
  const Sleeper sleeper;
  const Child child([&] { sleeper.sleep_below(20); });
  const std::vector<std::uint64_t> said = sleeper.hear();
  expect_same(calls_of(child.pid(), child.pid(), code_of(child.pid())), said);
}

TEST(Frames, AModuleThatIsAnotherFileByNowIsNotUnderstood) {
  const Sleeper sleeper;
  const Child child([&] { sleeper.sleep_below(20); });
  sleeper.hear();
  std::vector<Code> code = code_of(child.pid());
  for (Code& one : code) ++one.inode;
  EXPECT_FALSE(calls_of(child.pid(), child.pid(), code));
}

// Who builds a library again may write over its file.
TEST(Frames, AModuleThatIsWrittenOverIsReadAgain) {
  const Sleeper sleeper;
  const Child child([&] { sleeper.sleep_below(20); });
  const std::vector<std::uint64_t> said = sleeper.hear();
  std::vector<Code> code = code_of(child.pid());
  const auto program = std::ranges::find_if(
      code, [&](const Code& one) { return said.back() >= one.begin && said.back() < one.end; });
  ASSERT_NE(program, code.end());
  namespace fs = std::filesystem;
  const fs::path copy = fs::temp_directory_path() / ("gridlock_frames_" + std::to_string(getpid()));
  fs::copy_file(program->path, copy);
  const std::string path = std::exchange(program->path, copy);
  struct stat status {};
  ASSERT_EQ(stat(copy.c_str(), &status), 0);
  program->inode = status.st_ino;
  expect_same(calls_of(child.pid(), child.pid(), code), said);
  fs::resize_file(copy, 64);
  EXPECT_FALSE(calls_of(child.pid(), child.pid(), code));
  std::ofstream(copy, std::ios::binary) << std::ifstream(path, std::ios::binary).rdbuf();
  expect_same(calls_of(child.pid(), child.pid(), code), said);
  fs::remove(copy);
}

TEST(Frames, CodeOfNoFileIsNotUnderstood) {
  const Sleeper sleeper;
  const Child child([&] { sleeper.sleep_below(20); });
  sleeper.hear();
  EXPECT_FALSE(calls_of(child.pid(), child.pid(), {}));
}
}  // namespace
}  // namespace gridlock::run

#endif
