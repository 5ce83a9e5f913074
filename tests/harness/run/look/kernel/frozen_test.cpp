// A process in a frozen control group shows the call that it was about to return from.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/harness/run/look/kernel/asleep.h"

namespace gridlock::run {
namespace {

// Where control groups of version 2 are mounted; "": nowhere.
std::string mount_of_groups() {
  std::ifstream mounts("/proc/mounts");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string device, folder, type;
    words >> device >> folder >> type;
    if (type == "cgroup2") return folder;
  }
  return {};
}

bool put(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  return file.good();
}

// A control group of its own, which is thawed and removed at the end.
class Group {
 public:
  Group() : root_(mount_of_groups()), path_(root_ + "/test_frozen_" + std::to_string(getpid())) {
    exists_ = !root_.empty() && mkdir(path_.c_str(), 0700) == 0;
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() {
    put(path_ + "/cgroup.freeze", "0");
    // Empty once its process is reaped.
    for (int tries = 0; exists_ && rmdir(path_.c_str()) != 0 && tries < 1000; ++tries) usleep(1000);
  }
  bool freeze(pid_t process) const {
    return exists_ && put(path_ + "/cgroup.procs", std::to_string(process)) &&
           put(path_ + "/cgroup.freeze", "1");
  }
  bool thaw() const { return put(path_ + "/cgroup.freeze", "0"); }

 private:
  std::string root_;
  std::string path_;
  bool exists_ = false;
};

TEST(Frozen, AFrozenProcessMayBeAboutToReturn) {
  const Group group;
  Child child([] {
    std::array<int, 2> ends{};
    char byte = 0;
    static_cast<void>(pipe(ends.data()));
    static_cast<void>(read(ends[0], &byte, 1));
  });
  const std::vector<JobProcess> job{child.in_job()};
  ASSERT_TRUE(sleep_in(SYS_read, job, job[0], child.pid()).asleep);
  if (!group.freeze(child.pid())) GTEST_SKIP() << "no control groups of version 2 to freeze";
  while (Sleepers(job).look(job[0], child.pid()).asleep) usleep(1000);  // the kernel takes a moment
  ASSERT_TRUE(group.thaw());
  while (!Sleepers(job).look(job[0], child.pid()).asleep) usleep(1000);
}

}  // namespace
}  // namespace gridlock::run
