// Which threads a box lists as started by libraries.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "harness/record/format.h"
#include "tests/harness/recorder/recorded.h"

namespace gridlock {
namespace {

// By thread id, the names of all threads of `pid`.
std::map<std::int64_t, std::string> names_of_threads(pid_t pid) {
  std::map<std::int64_t, std::string> names;
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks)) {
    std::getline(std::ifstream(task.path() / "comm"), names[std::stoll(task.path().filename())]);
  }
  return names;
}

// A thread inherits its name from its creator, and may choose any other.
TEST(LibraryThreads, AreKnownByWhoStartedThemNotByTheirNames) {
  Recorded child(part("names_its_threads"));
  std::map<std::int64_t, std::string> names;
  const auto watches = [](const auto& thread) { return thread.second == "nccl-watch"; };
  // The threads are read after the look, so a thread of that moment would not be listed: the list
  // is complete once no thread is still to come and it has as many as there are.
  const record::Snapshot snapshot = child.look_until([&](const record::Snapshot& seen) {
    names = names_of_threads(child.pid());
    return std::any_of(names.begin(), names.end(), watches) &&
           std::ranges::count(seen.library_threads, record::kLibraryThreadToCome) == 0 &&
           seen.library_threads.size() + 2 == names.size();
  });
  ASSERT_TRUE(std::any_of(names.begin(), names.end(), watches)) << "it never came so far";
  EXPECT_GT(names.size(), 2U) << "the simulation has threads of its own";
  for (const auto& [tid, name] : names) {
    const bool is_programs = tid == child.pid() || name == "nccl-watch";
    const auto& of_libraries = snapshot.library_threads;
    EXPECT_EQ(std::find(of_libraries.begin(), of_libraries.end(), tid) == of_libraries.end(),
              is_programs)
        << name;
  }
}

// Between its creation and its first instruction, nothing but its creator knows whose it is.
TEST(LibraryThreads, AreAnnouncedBeforeTheyAreCreated) {
  Recorded child(part("stops_beside_a_new_thread"));
  const std::string tasks = "/proc/" + std::to_string(child.pid()) + "/task";
  child.look_until([&](const record::Snapshot&) {
    const std::filesystem::directory_iterator all(tasks);
    return std::all_of(begin(all), end(all), [](const auto& task) {
      std::string stat;
      std::getline(std::ifstream(task.path() / "stat"), stat);
      return stat.find(") T ") != std::string::npos;
    });
  });
  const record::Snapshot snapshot =
      child.look_until([](const record::Snapshot&) { return true; });  // now that all have stopped
  const std::map<std::int64_t, std::string> names = names_of_threads(child.pid());
  EXPECT_GT(names.size(), 1U) << "the stream has a thread";
  const std::vector<std::int64_t>& listed = snapshot.library_threads;
  std::ptrdiff_t to_come = std::ranges::count(listed, record::kLibraryThreadToCome);
  for (const auto& [tid, name] : names) {
    if (tid == child.pid() || std::ranges::count(listed, tid) == 1) continue;
    EXPECT_GT(to_come--, 0) << name;
  }
  kill(child.pid(), SIGCONT);
  const record::Snapshot later = child.look_until([](const record::Snapshot& seen) {
    return std::ranges::count(seen.library_threads, record::kLibraryThreadToCome) == 0;
  });
  EXPECT_EQ(std::ranges::count(later.library_threads, record::kLibraryThreadToCome), 0);
}

}  // namespace
}  // namespace gridlock
