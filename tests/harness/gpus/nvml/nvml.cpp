// A stand-in for libnvidia-ml.so.1, scripted by its environment:
//   TEST_NVML_GPUS=2              how many GPUs there are (1)
//   TEST_NVML_FAIL=init|serial    the call that returns an error
//   TEST_NVML_HANG=init|load      the call that never returns
//   TEST_NVML_BUSY=100,0          how busy the processes are, in turn
// The other children of the asking process run on the GPUs: process i on GPU i modulo the number of
// GPUs, with 100 + i MiB.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#define NVML extern "C" __attribute__((visibility("default")))

namespace {

constexpr int kSuccess = 0;
constexpr int kUnknown = 999;

std::string script(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int step(const char* name) {
  while (script("TEST_NVML_HANG") == name) pause();
  return script("TEST_NVML_FAIL") == name ? kUnknown : kSuccess;
}

std::size_t gpus() {
  const std::string text = script("TEST_NVML_GPUS");
  return text.empty() ? 1 : static_cast<std::size_t>(std::stoul(text));
}

int put(char* text, unsigned int size, const std::string& value) {
  std::strncpy(text, value.c_str(), size);
  return kSuccess;
}

std::size_t number(void* device) { return reinterpret_cast<std::size_t>(device) - 1; }

struct Process {
  unsigned int pid = 0;
  std::size_t at = 0;
  unsigned int busy = 0;
};

std::vector<Process> processes_on(std::size_t gpu) {
  std::vector<unsigned int> busy;
  std::string text = script("TEST_NVML_BUSY") + ",";
  for (std::size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',')) {
    if (comma > 0) busy.push_back(static_cast<unsigned int>(std::stoul(text.substr(0, comma))));
    text.erase(0, comma + 1);
  }
  const std::string parent = std::to_string(getppid());
  std::ifstream children("/proc/" + parent + "/task/" + parent + "/children");
  std::vector<Process> here;
  std::size_t at = 0;
  for (unsigned int pid = 0; children >> pid;) {
    if (static_cast<pid_t>(pid) == getpid()) continue;
    if (at % gpus() == gpu) {
      here.push_back({.pid = pid, .at = at, .busy = busy.empty() ? 0 : busy[at % busy.size()]});
    }
    ++at;
  }
  return here;
}

struct Memory {
  unsigned long long total, free, used;
};
struct Utilization {
  unsigned int gpu, memory;
};
struct ProcessInfo {
  unsigned int pid;
  unsigned long long used;
  unsigned int gpu_instance = 0, compute_instance = 0;
};
struct Sample {
  unsigned int pid;
  unsigned long long time;
  unsigned int sm = 0, memory = 0, encoder = 0, decoder = 0;
};

}  // namespace

NVML int nvmlInit_v2() { return step("init"); }
NVML const char* nvmlErrorString(int) { return "Scripted Error"; }
NVML int nvmlSystemGetDriverVersion(char* text, unsigned int size) {
  return put(text, size, "580.82.07");
}
NVML int nvmlSystemGetCudaDriverVersion_v2(int* version) { return *version = 13000, kSuccess; }
NVML int nvmlDeviceGetCount_v2(unsigned int* count) {
  return *count = static_cast<unsigned int>(gpus()), kSuccess;
}
NVML int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void** device) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an opaque handle
  return *device = reinterpret_cast<void*>(std::size_t{index} + 1), kSuccess;
}
NVML int nvmlDeviceGetName(void*, char* text, unsigned int size) {
  return put(text, size, "Scripted H200");
}
NVML int nvmlDeviceGetUUID(void* device, char* text, unsigned int size) {
  return put(text, size, "GPU-" + std::string(8, static_cast<char>('a' + number(device))));
}
NVML int nvmlDeviceGetSerial(void* device, char* text, unsigned int size) {
  const int result = step("serial");
  return result != kSuccess ? result : put(text, size, "16500" + std::to_string(number(device)));
}
NVML int nvmlDeviceGetMemoryInfo(void*, Memory* memory) {
  return *memory = {.total = 144ULL << 30U, .free = 143ULL << 30U, .used = 1ULL << 30U}, kSuccess;
}
NVML int nvmlDeviceGetUtilizationRates(void* device, Utilization* utilization) {
  unsigned int most = 0;
  for (const Process& process : processes_on(number(device))) most = std::max(most, process.busy);
  *utilization = {.gpu = most, .memory = 0};
  return step("load");
}
NVML int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned int* count,
                                                 ProcessInfo* processes) {
  unsigned int found = 0;
  for (const Process& process : processes_on(number(device))) {
    if (found < *count) {
      processes[found++] = {.pid = process.pid, .used = (100ULL + process.at) << 20U};
    }
  }
  return *count = found, kSuccess;
}
NVML int nvmlDeviceGetProcessUtilization(void* device, Sample* samples, unsigned int* count,
                                         unsigned long long) {
  unsigned int found = 0;
  for (const Process& process : processes_on(number(device))) {
    // An older sample comes first. It must not be used.
    if (found + 2 > *count) break;
    samples[found++] = {.pid = process.pid, .time = 1, .sm = 55};
    samples[found++] = {.pid = process.pid, .time = 2, .sm = process.busy};
  }
  return *count = found, kSuccess;
}
