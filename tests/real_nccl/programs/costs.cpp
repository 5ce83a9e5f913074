// What NCCL costs on the simulated CUDA; scripts/measure_real_nccl.sh makes a table of it. Rank 0
// prints one line of figures. Argument: the kind, and for all_reduce the elements and the calls.
//   start        init and first all-reduce, in ms
//   all_reduce   median of a call, in ms
//   hung         percent of a core that a rank uses while it waits in an all-reduce for one that is
//                late by 7 s, and what each of its threads uses
//   memory       of this rank and of all, in MiB (PSS: what several processes share counts in part)
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/real_nccl/programs/ranks.h"

namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

// Ones, whose sum is the number of ranks.
void all_reduce(Ranks& r, OnDevice<float>& data, std::size_t count) {
  check(ncclAllReduce(data.data(), data.data(), count, ncclFloat32, ncclSum, r.all, r.stream));
}

void say(const Ranks& r, const std::string& figures) {
  if (r.rank == 0) std::printf("costs: %s\n", figures.c_str());
}

void start(Ranks& r, std::size_t, int) {
  OnDevice<float> data(std::vector<float>(1000, 1));
  const auto begun = Clock::now();
  r.open();
  const auto open = Clock::now();
  all_reduce(r, data, 1000);
  check(cudaStreamSynchronize(r.stream));
  const Milliseconds init = open - begun, first = Clock::now() - open;
  say(r, std::to_string(init.count()) + " " + std::to_string(first.count()));
  expect(data.values().back() == static_cast<float>(r.size), "the sum of ones");
  r.close();
}

void time_all_reduce(Ranks& r, std::size_t count, int calls) {
  r.open();
  OnDevice<float> data(std::vector<float>(count, 0));
  std::vector<double> times;
  for (int call = -3; call < calls; ++call) {  // the first three are not counted
    const auto begun = Clock::now();
    all_reduce(r, data, count);
    check(cudaStreamSynchronize(r.stream));
    if (call >= 0) times.push_back(Milliseconds(Clock::now() - begun).count());
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  say(r, std::to_string(*middle));
  r.close();
}

// Seconds of processor time of each thread of this process, by number and name.
std::map<std::string, double> thread_times() {
  std::map<std::string, double> times;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::size_t open = text.find('('), close = text.rfind(')');
    if (open == std::string::npos || close == std::string::npos) continue;  // it has just ended
    unsigned long user = 0, system = 0;
    if (std::sscanf(text.c_str() + close + 1,
                    " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2) {
      continue;
    }
    times[text.substr(open + 1, close - open - 1) + "-" + task.path().filename().string()] =
        static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  }
  return times;
}

void hung(Ranks& r, std::size_t, int) {
  r.open();
  OnDevice<float> data(std::vector<float>(1000, 1));
  all_reduce(r, data, 1000);  // connects
  check(cudaStreamSynchronize(r.stream));
  if (r.rank == r.size - 1) {
    sleep(7);
    all_reduce(r, data, 1000);
  } else {
    all_reduce(r, data, 1000);
    sleep(1);
    const auto before = thread_times();
    sleep(5);
    double all = 0;
    std::vector<std::pair<double, std::string>> percents;
    for (const auto& [name, seconds] : thread_times()) {
      const auto old = before.find(name);
      const double percent = 100 * (seconds - (old == before.end() ? 0 : old->second)) / 5;
      all += percent;
      percents.emplace_back(percent, name.substr(0, name.rfind('-')));
    }
    std::sort(percents.rbegin(), percents.rend());
    std::string figures = std::to_string(all);
    for (std::size_t at = 0; at < std::min<std::size_t>(3, percents.size()); ++at) {
      figures += " " + percents[at].second + ":" + std::to_string(percents[at].first) + "%";
    }
    say(r, figures);
  }
  check(cudaStreamSynchronize(r.stream));
  r.close();
}

// Bytes.
double share_of_memory() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string word; file >> word;) {
    double kibibytes = 0;
    if (word == "Pss:" && file >> kibibytes) return kibibytes * 1024;
  }
  give_up("/proc/self/smaps_rollup has no Pss", gridlock::SourceLocation::current());
}

void memory(Ranks& r, std::size_t, int) {
  constexpr float kMebi = 1 << 20;
  r.open();
  OnDevice<float> data(std::vector<float>(1000, 1));
  all_reduce(r, data, 1000);  // connects
  check(cudaStreamSynchronize(r.stream));
  const auto own = static_cast<float>(share_of_memory()) / kMebi;
  OnDevice<float> total(std::vector<float>(1, own));
  all_reduce(r, total, 1);
  check(cudaStreamSynchronize(r.stream));
  say(r, std::to_string(own) + " " + std::to_string(total.values().front()));
  r.close();
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, void (*)(Ranks&, std::size_t, int)> kinds{
      {"start", start}, {"all_reduce", time_all_reduce}, {"hung", hung}, {"memory", memory}};
  const auto kind = kinds.find(argc > 1 ? argv[1] : "");
  const std::size_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 256;
  const int calls = argc > 3 ? std::atoi(argv[3]) : 100;
  if (kind == kinds.end() || count < 1 || calls < 1) {
    std::fputs("costs: give one of start, all_reduce ELEMENTS CALLS, hung, memory\n", stderr);
    return 2;
  }
  Ranks ranks;
  kind->second(ranks, count, calls);
}
