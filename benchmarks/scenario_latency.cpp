// Time to hang and time to detect, per deadlock variant of the catalogue, as manual-time
// benchmarks: each variant is run by the `gridlock` program beside this one, and its results are
// read back. Arguments: how often (20), and which scenarios (all).
#include <benchmark/benchmark.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The results of one `gridlock run` of `scenarios`. Blocks until it has ended.
json run_catalogue(const std::string& repetitions, const std::string& scenarios) {
  const fs::path program =
      fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "gridlock";
  std::string folder = (fs::temp_directory_path() / "gridlock-benchmark-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder");
  const std::string command = program.string() + " run --backend sim --repeat " + repetitions +
                              " " + scenarios + " --output " + folder + "/results >" + folder +
                              "/log 2>&1";
  const int status = std::system(command.c_str());
  json results;
  std::ifstream file(folder + "/results/results.json");
  if (file) results = json::parse(file);
  fs::remove_all(folder);
  if (!WIFEXITED(status) || results.is_null())
    throw std::runtime_error("`" + command + "` left no results");
  return results;
}

// Registers one benchmark whose iterations are the measured times, in milliseconds.
void register_times(const std::string& name, std::vector<double> times) {
  const auto count = static_cast<std::int64_t>(times.size());
  benchmark::RegisterBenchmark(name.c_str(),
                               [times = std::move(times)](benchmark::State& state) {
                                 std::size_t next = 0;
                                 for (auto _ : state) state.SetIterationTime(times[next++] / 1e3);
                               })
      ->UseManualTime()
      ->Iterations(count)
      ->Unit(benchmark::kMillisecond);
}

void measure(const std::string& repetitions, const std::string& scenarios) {
  std::map<std::string, std::vector<double>> times;
  const json results = run_catalogue(repetitions, scenarios);
  for (const json& run : results.at("runs")) {
    if (run.at("outcome") != "deadlock") continue;
    const std::string variant =
        run.at("scenario").get<std::string>() + "/" + run.at("variant").get<std::string>();
    for (const char* figure : {"time_to_hang", "time_to_detect"}) {
      // A job whose communicators never formed has no time to hang.
      const json& time = run.at(std::string(figure) + "_ms");
      if (time.is_number()) times[variant + "/" + figure].push_back(time.get<double>());
    }
  }
  if (times.empty()) throw std::runtime_error("no deadlock was found");
  for (auto& [name, values] : times) register_times(name, std::move(values));
  benchmark::RunSpecifiedBenchmarks();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    benchmark::Initialize(&argc, argv);
    measure(argc > 1 ? argv[1] : "20", argc > 2 ? argv[2] : "");
  } catch (const std::exception& error) {
    std::cerr << "scenario_latency: " << error.what() << "\n";
    return 1;
  }
}
