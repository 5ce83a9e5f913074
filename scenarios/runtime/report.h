// What a rank reports about itself at its end: step times, figures, and whether its numbers are
// right.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace gridlock {

class Report {
 public:
  // A figure, with its unit in the name ("samples_lost", "wait_time_us").
  void figure(const std::string& name, double value) { figures_[name] = value; }

  // The result of a comparison. One wrong result makes the report wrong.
  void numbers(bool right, const std::string& detail);

  // Step times: begin once, then one call at the end of each step.
  void begin_steps();
  void step_done();
  void forget_steps();  // the steps so far were a warm-up or another phase
  double median_step_us() const;

  // Time that the host spent waiting for the device in the current step.
  void add_wait(std::chrono::nanoseconds wait) { wait_ += wait; }
  double median_wait_us() const;

  // Another program listens on the port where the ranks should meet. The launcher may choose
  // another port and restart the ranks.
  void port_taken() { port_taken_ = true; }

  // One JSON object (status, reason, port_taken, numbers, numbers_detail, figures). `status` is
  // completed, failed or skipped; `reason` is a sentence or nothing.
  std::string json(const std::string& status, const std::string& reason) const;

 private:
  using Clock = std::chrono::steady_clock;
  std::map<std::string, double> figures_;
  std::string numbers_ = "unchecked";
  std::string numbers_detail_;
  bool port_taken_ = false;
  std::vector<double> steps_us_;
  std::vector<double> waits_us_;
  std::chrono::nanoseconds wait_{0};
  Clock::time_point step_began_ = Clock::now();
};

// Writes the JSON to the file that GRIDLOCK_REPORT names, or to the file descriptor in
// GRIDLOCK_REPORT_FD, or else as one plain line to stdout.
void send_report(const Report& report, const std::string& status, const std::string& reason);

}  // namespace gridlock
