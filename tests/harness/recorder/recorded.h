// A child process under the recorder, and what its box says. The program is this test itself, which
// plays one of the parts in parts*.cpp.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/snapshot.h"

namespace gridlock {

class Recorded {
 public:
  // Starts `command` with a fresh box for local rank 0, and `environment` in addition to our own.
  explicit Recorded(const std::vector<std::string>& command,
                    const std::vector<std::string>& environment = {});
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;
  ~Recorded();  // kills it

  pid_t pid() const { return pid_; }
  record::Snapshot look() const;
  // Looks until `condition` holds, the process has ended, or half a minute has passed.
  record::Snapshot look_until(const std::function<bool(const record::Snapshot&)>& condition);
  // Exit code, or minus the signal. Blocks until the process has ended.
  int wait();
  // What it wrote on standard output and error. REQUIRES: wait()
  const std::string& output() const { return output_; }

 private:
  bool has_ended();

  pid_t pid_ = -1;
  int box_ = -1;
  int pipe_ = -1;
  int status_ = 0;
  bool ended_ = false;
  std::string output_;
};

// The command that plays `part`.
std::vector<std::string> part(std::string_view name);
// What the box holds after the part has ended with exit code 0 and this output.
record::Snapshot after(std::string_view name, const std::vector<std::string>& environment = {},
                       const std::string& output = "");
// Plays it in this process. Returns the exit code.
int play(std::string_view name);

}  // namespace gridlock
