// Collects a rank's report, and sends it.
#include "scenarios/runtime/report.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace gridlock {
namespace {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double microseconds(std::chrono::nanoseconds time) {
  return static_cast<double>(time.count()) / 1e3;
}

void write_all(int file, const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t put = write(file, text.data() + at, text.size() - at);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return;  // the reader is gone, so nobody needs the rest
    at += static_cast<std::size_t>(put);
  }
}

}  // namespace

void Report::numbers(bool right, const std::string& detail) {
  if (numbers_ == "wrong") return;
  numbers_ = right ? "right" : "wrong";
  numbers_detail_ = detail;
}

void Report::begin_steps() {
  wait_ = {};
  step_began_ = Clock::now();
}

void Report::step_done() {
  const Clock::time_point now = Clock::now();
  steps_us_.push_back(microseconds(now - step_began_));
  waits_us_.push_back(microseconds(wait_));
  wait_ = {};
  step_began_ = now;
}

void Report::forget_steps() {
  steps_us_.clear();
  waits_us_.clear();
  begin_steps();
}

double Report::median_step_us() const { return median(steps_us_); }
double Report::median_wait_us() const { return median(waits_us_); }

std::string Report::json(const std::string& status, const std::string& reason) const {
  nlohmann::json figures = figures_;
  if (!steps_us_.empty()) {
    figures["step_time_us"] = median_step_us();
    figures["wait_time_us"] = median_wait_us();
    figures["steps"] = steps_us_.size();
  }
  const nlohmann::json object{{"status", status},
                              {"reason", reason},
                              {"port_taken", port_taken_},
                              {"numbers", numbers_},
                              {"numbers_detail", numbers_detail_},
                              {"figures", figures}};
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void send_report(const Report& report, const std::string& status, const std::string& reason) {
  const std::string json = report.json(status, reason);
  if (const char* path = std::getenv("GRIDLOCK_REPORT"); path != nullptr) {
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file >= 0) write_all(file, json);  // the reader is gone otherwise
    return;
  }
  if (const char* descriptor = std::getenv("GRIDLOCK_REPORT_FD"); descriptor != nullptr) {
    write_all(std::atoi(descriptor), json);
  } else {
    const char* rank = std::getenv("RANK");
    write_all(STDOUT_FILENO, fmt::format("rank {}: {}\n", rank == nullptr ? "?" : rank, json));
  }
}

}  // namespace gridlock
