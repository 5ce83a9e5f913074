// Prints runs. Only terminals get escape sequences.
#include "harness/session/console.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "harness/report/formats/text.h"
#include "harness/run/look/last_state.h"

namespace gridlock::session {
namespace {

constexpr std::chrono::milliseconds kRefresh(200);
constexpr std::size_t kMostGroups = 6;

double seconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

std::string rough(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  return seconds < 6000 ? fmt::format("{:.0f} min", seconds / 60)
                        : fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::size_t terminal_columns() {
  winsize size{};
  constexpr std::size_t kUsual = 80;
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

bool wants_colour() {
  const char* refused = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) == 1 && (refused == nullptr || *refused == '\0');
}

std::vector<std::string> state_lines(std::span<const record::Snapshot> ranks) {
  std::vector<int> all(ranks.size());
  std::iota(all.begin(), all.end(), 0);
  const std::vector<run::StateGroup> groups = run::state_groups(ranks, all);
  std::vector<std::string> lines;
  for (const run::StateGroup& group : groups) {
    if (lines.size() == kMostGroups) break;
    lines.push_back(fmt::format("  {} {}", ranks_text(group.ranks), on_one_line(group.state)));
  }
  if (groups.size() > kMostGroups) {
    lines.push_back(fmt::format("  ... and {} more groups", groups.size() - kMostGroups));
  }
  return lines;
}

Console::Console(bool is_quiet)
    : is_quiet_(is_quiet), is_terminal_(!is_quiet && isatty(STDOUT_FILENO) == 1) {}

void Console::begin(const report::Progress& progress) {
  run_began_ = Clock::now();
  if (!began_) began_ = run_began_;
  progress_ = progress;
  if (is_terminal_) show({headline()});
}

void Console::look(std::span<const record::Snapshot> ranks) {
  if (!is_terminal_ || Clock::now() - shown_ < kRefresh) return;
  std::vector<std::string> lines{headline()};
  for (std::string& line : state_lines(ranks)) lines.push_back(std::move(line));
  show(lines);
}

// "[3/40] uneven_batches/join, 0.4 s; 12 s so far, about 3 min left".
std::string Console::headline() const {
  const Clock::time_point now = Clock::now();
  const double so_far = began_ ? seconds(now - *began_) : 0;
  std::string times =
      fmt::format(", {:.1f} s; {} so far", seconds(now - run_began_), rough(so_far));
  const int left = progress_.planned - progress_.done;
  if (length_) {
    times += fmt::format(", {} left", rough(std::max(0.0, seconds(*length_) - so_far)));
  } else if (progress_.done > 0 && left > 0) {
    times += fmt::format(", about {} left", rough(so_far / progress_.done * left));
  }
  // A long name is cut rather than the times.
  const std::size_t columns = terminal_columns() - 1;
  const std::size_t room = columns > times.size() ? columns - times.size() : 0;
  return report::progress_line(progress_, room) + times;
}

void Console::show(const std::vector<std::string>& lines) {
  clear();
  const std::size_t columns = terminal_columns() - 1;
  std::string text;
  for (const std::string& line : lines) {
    const std::string fitting = report::cut(line, columns);
    // The first line is the headline.
    text += text.empty() && wants_colour() ? "\033[1m" + fitting + "\033[0m\n" : fitting + "\n";
  }
  print(text);
  lines_ = lines.size();
  shown_ = Clock::now();
}

void Console::done(const report::Run& run) {
  const bool lasts = run.status != report::Status::judged || !run.as_declared;
  if (is_quiet_ || (is_terminal_ && !lasts)) return;
  clear();
  print(report::run_line(run));
}

void Console::clear() {
  if (lines_ > 0) print(fmt::format("\033[{}A\r\033[J", lines_));
  lines_ = 0;
}

std::filesystem::path standard_output_alone() {
  std::fflush(stdout);
  const int real = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (real < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    throw UsageError("--json - needs standard output, which is closed");
  }
  return fmt::format("/proc/self/fd/{}", real);
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace gridlock::session
