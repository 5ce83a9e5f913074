// Rank 0 waits at an epoll set of more than a hundred descriptors. A helper writes into the pipe
// that the kernel lists last. The set's list is longer than a page, and the page ends between two
// lines.
// Naive view: what the first page of the set's fdinfo names is all that it waits for.
// Expected: completes.
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

namespace {

std::string list_of(int set) {
  std::ifstream file("/proc/self/fdinfo/" + std::to_string(set));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Whether the page ends behind an inode, or before the next line shows what it is.
bool is_cut_well(const std::string& list) {
  const std::string page = list.substr(0, 4096);
  const std::string cut = page.substr(page.rfind('\n') + 1);
  return cut.size() < 4 || cut.find("sdev") != std::string::npos;
}

}  // namespace

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    std::vector<Pipe> pipes;
    std::vector<int> counters;
    for (int i = 0; i < 100; ++i) {
      pipes.emplace_back();
      counters.push_back(eventfd(0, 0));
    }
    epoll_event event{};
    event.events = EPOLLIN;
    int set = -1;
    // Counters have shorter lines than pipes, so nearly always some number of them moves the cut
    // there. If none does, the list is just longer than a page.
    for (std::size_t with = 0; with <= counters.size(); ++with) {
      close(set);
      set = epoll_create1(0);
      for (const Pipe& pipe : pipes) epoll_ctl(set, EPOLL_CTL_ADD, pipe.reading(), &event);
      for (std::size_t i = 0; i < with; ++i) epoll_ctl(set, EPOLL_CTL_ADD, counters[i], &event);
      if (is_cut_well(list_of(set))) break;
    }
    const std::string list = list_of(set);
    int last = 0;
    for (const Pipe& pipe : pipes) {
      const std::string line =
          "tfd: " + std::string(8 - std::to_string(pipe.reading()).size(), ' ') +
          std::to_string(pipe.reading());
      if (list.find(line) > 4096) last = pipe.reading();
    }
    const auto live = [&](const Pipe& pipe) { return pipe.reading() == last; };
    const pid_t helper = start_helper([&] {
      for (const int one : counters) close(one);
      close(set);
      for (const Pipe& pipe : pipes) {
        close(pipe.reading());
        if (!live(pipe)) close(pipe.writing());
      }
      pause_ms(1000);
      for (const Pipe& pipe : pipes) {
        if (live(pipe) && write(pipe.writing(), "x", 1) != 1) _exit(1);
      }
    });
    if (epoll_wait(set, &event, 1, -1) != 1) return 5;
    wait_for(helper);
  }
  training.step();
  return 0;
}
