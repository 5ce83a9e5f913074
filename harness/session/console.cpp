// Prints runs. Only terminals get escape sequences.
#include "harness/session/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace gridlock::session {
std::size_t terminal_columns() {
  winsize size{};
  constexpr std::size_t kUsual = 80;
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

Console::Console(bool is_quiet)
    : is_quiet_(is_quiet), is_terminal_(!is_quiet && isatty(STDOUT_FILENO) == 1) {}

void Console::begin(const report::Progress& progress) {
  if (is_terminal_) print("\r\033[K" + report::progress_line(progress, terminal_columns() - 1));
}

void Console::done(const report::Run& run) {
  const bool lasts = run.status != report::Status::judged || !run.as_declared;
  if (is_quiet_ || (is_terminal_ && !lasts)) return;
  clear();
  print(report::run_line(run));
}

void Console::clear() {
  if (is_terminal_) print("\r\033[K");
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace gridlock::session
