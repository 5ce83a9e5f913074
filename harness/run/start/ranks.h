// The running processes of a job. They are started, drained, waited for and killed here.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/catalogue/installation.h"
#include "harness/processes/launch.h"
#include "harness/processes/output.h"
#include "harness/processes/shown_lines.h"
#include "harness/run/job.h"
#include "harness/run/start/boxes.h"
#include "harness/run/start/report_files.h"
#include "harness/run/start/simulated_hosts.h"

namespace gridlock::run {

class Ranks {
 public:
  // Starts this agent's processes of the job. If one cannot be started, those before it are killed.
  //   Errors   MachineError if a process cannot be started
  Ranks(const Job& job, const catalogue::Installation& installation, const Boxes& boxes);
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  ~Ranks();

  // Drains what they print, and notes which have ended.
  //   Blocks   until something happens, one of `others` is readable, or `timeout` is over
  void wait(Duration timeout, std::span<const int> others);

  std::size_t size() const { return processes_.size(); }
  pid_t pid(std::size_t index) const { return processes_[index].process.pid; }
  std::vector<pid_t> pids() const;
  const std::optional<processes::Ending>& ending(std::size_t index) const {
    return processes_[index].ending;
  }
  bool all_ended() const;
  std::string report(std::size_t index) const { return processes_[index].report; }
  std::string output(std::size_t index) const { return processes_[index].output.text(); }

  // If mpiexec started the ranks: what each has reported so far, by rank. Otherwise empty.
  std::vector<std::string> reports_under_mpiexec() const;

  // Reads what is left in the pipes, and shows unfinished lines. Call when the processes are gone.
  void drain_rest();

  // Kills every process of the job and everything that these have started, and reaps them.
  //   Blocks   until all are gone, at most kReapLimit
  //   Returns  how many could not be killed
  std::size_t kill_all();

 private:
  struct Watched {
    processes::Process process;
    FileDescriptor report_pipe;
    processes::Output output{kOutputBound};
    processes::ShownLines lines{-1};
    std::string report;
    std::optional<processes::Ending> ending;
  };
  void read_output(std::size_t index);
  void read_report(Watched& watched);

  void show(const std::string& lines) const;

  bool pass_output_;
  std::function<void()> before_output_;
  std::vector<Watched> processes_;
  std::optional<ReportFiles> report_files_;
  std::optional<SimulatedHosts> hosts_;
  pid_t group_ = 0;
};

}  // namespace gridlock::run
