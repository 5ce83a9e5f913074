// nccl/build.py leaves a record in each folder that it has completed.
#include "harness/catalogue/nccls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/base/text.h"

namespace gridlock::catalogue {
namespace {

namespace fs = std::filesystem;

std::array<int, 3> numbers_of(const std::string& version) {
  std::array<int, 3> numbers{};
  std::sscanf(version.c_str(), "%d.%d.%d", &numbers[0], &numbers[1], &numbers[2]);
  return numbers;
}

// A topology is a file for NCCL, except pcie, which is what NCCL finds without one.
std::vector<std::string> topologies(const Installation& installation) {
  std::vector<std::string> names{"pcie"};
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(installation.nvml() / "topologies", error)) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The file of the topology that GRIDLOCK_SIM_TOPOLOGY names; empty for pcie.
std::string topology_file(const Installation& installation) {
  const char* text = std::getenv("GRIDLOCK_SIM_TOPOLOGY");
  const std::string name = text == nullptr || *text == '\0' ? "pcie" : text;
  const std::vector<std::string> names = topologies(installation);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw UsageError(fmt::format("GRIDLOCK_SIM_TOPOLOGY={} is no topology; there are {}", name,
                                 fmt::join(names, ", ")));
  }
  return name == "pcie" ? "" : (installation.nvml() / "topologies" / (name + ".xml")).string();
}

// The real NCCL opens it in ncclCommInitRank.
void need_nvml(const Installation& installation, const std::string& version) {
  std::error_code error;
  if (fs::exists(installation.nvml() / "libnvidia-ml.so.1", error)) return;
  throw UsageError(fmt::format(
      "NCCL {} needs the simulated NVML, and there is no {}/libnvidia-ml.so.1; `./run_all.sh nccl "
      "{}` builds it",
      version, installation.nvml().string(), version));
}

}  // namespace

int version_number(const Nccl& nccl) {
  const auto [major, minor, patch] = numbers_of(nccl.version);
  return 10000 * major + 100 * minor + patch;
}

std::vector<Nccl> find_nccls(const Installation& installation) {
  std::vector<Nccl> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(installation.nccls(), error)) {
    std::ifstream file(entry.path() / "build.json");
    const auto record = nlohmann::json::parse(file, nullptr, false);
    if (!record.is_object() || !fs::exists(entry.path() / "libnccl.so.2", error)) continue;
    const std::string version = entry.path().filename().string();
    if (record.value("version", nlohmann::json()) != version) continue;
    const auto origin = record.find("origin");
    const bool known = origin != record.end() && origin->is_string();
    found.push_back({.version = version,
                     .folder = entry.path(),
                     .source = known ? origin->get<std::string>() : std::string()});
  }
  std::sort(found.begin(), found.end(), [](const Nccl& a, const Nccl& b) {
    return numbers_of(a.version) < numbers_of(b.version);
  });
  return found;
}

Nccl find_nccl(const Installation& installation, const std::string& version) {
  const std::vector<Nccl> all = find_nccls(installation);
  std::vector<std::string> names;
  for (const Nccl& nccl : all) {
    if (nccl.version == version) {
      need_nvml(installation, version);
      return nccl;
    }
    names.push_back(nccl.version);
  }
  throw UsageError(fmt::format(
      "there is no NCCL {}; there {} (`./run_all.sh nccl VERSION` builds one)", version,
      names.empty() ? "is none from source" : fmt::format("are {}", fmt::join(names, ", "))));
}

std::vector<Nccl> find_nccls(const Installation& installation,
                             const std::vector<std::string>& versions) {
  std::vector<Nccl> all = find_nccls(installation);
  if (!all.empty()) need_nvml(installation, all.back().version);
  if (versions.empty()) return all;
  const auto is_named = [&](const Nccl& nccl) {
    return std::find(versions.begin(), versions.end(), nccl.version) != versions.end();
  };
  std::vector<std::string> missing;
  for (const std::string& version : versions) {
    const bool built = std::any_of(all.begin(), all.end(),
                                   [&](const Nccl& nccl) { return nccl.version == version; });
    if (!built) missing.push_back(version);
  }
  if (!missing.empty()) {
    throw UsageError(fmt::format("NCCL {} {} not built; `./run_all.sh nccl {}` builds {}",
                                 join_text(missing), missing.size() == 1 ? "is" : "are",
                                 missing.front(), missing.size() == 1 ? "it" : "the first"));
  }
  std::erase_if(all, [&](const Nccl& nccl) { return !is_named(nccl); });
  return all;
}

std::vector<std::string> environment_of(const Nccl& nccl, const Installation& installation) {
  std::string path =
      fmt::format("LD_LIBRARY_PATH={}:{}", nccl.folder.string(), installation.nvml().string());
  if (const char* old = std::getenv("LD_LIBRARY_PATH"); old != nullptr && *old != '\0') {
    path += fmt::format(":{}", old);
  }
  std::vector<std::string> environment{std::move(path)};
  // Otherwise the user's configuration or the machine's network would decide these.
  const auto unless_set = [&](const char* name, const std::string& value) {
    if (std::getenv(name) == nullptr) environment.push_back(fmt::format("{}={}", name, value));
  };
  unless_set("NCCL_CONF_FILE", "/dev/null");
  unless_set("NCCL_SOCKET_IFNAME", "lo");
  unless_set("NCCL_IB_DISABLE", "1");
  unless_set("NCCL_NET_PLUGIN", "none");
  unless_set("NCCL_TUNER_PLUGIN", "none");
  if (const std::string file = topology_file(installation); !file.empty()) {
    unless_set("NCCL_TOPO_FILE", file);
  }
  return environment;
}

}  // namespace gridlock::catalogue
