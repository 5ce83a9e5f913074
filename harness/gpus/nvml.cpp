// Loads NVML by dlopen, and calls its documented C interface.
//   Source  NVML API reference guide (nvml.h): structures of nvmlDeviceGetUtilizationRates,
//           nvmlDeviceGetMemoryInfo and nvmlDeviceGetComputeRunningProcesses_v3
#include "harness/gpus/nvml.h"

#include <dlfcn.h>

#include <array>

namespace gridlock::gpus {
namespace {

using Result = int;  // nvmlReturn_t
constexpr Result kSuccess = 0;
constexpr double kMib = 1024.0 * 1024.0;
constexpr std::uint64_t kNotAvailable = ~std::uint64_t{0};  // NVML_VALUE_NOT_AVAILABLE

struct Utilization {
  unsigned int gpu;
  unsigned int memory;
};
struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
struct ProcessSample {
  unsigned int pid;
  unsigned long long time_us;
  unsigned int sm;
  unsigned int memory;
  unsigned int encoder;
  unsigned int decoder;
};
struct ProcessInfo {
  unsigned int pid;
  unsigned long long used_memory;
  unsigned int gpu_instance;
  unsigned int compute_instance;
};

template <typename Function>
void find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

struct Nvml::Functions {
  Result (*init)() = nullptr;
  const char* (*error)(Result) = nullptr;
  Result (*driver)(char*, unsigned int) = nullptr;
  Result (*cuda)(int*) = nullptr;
  Result (*count)(unsigned int*) = nullptr;
  Result (*handle)(unsigned int, void**) = nullptr;
  Result (*name)(void*, char*, unsigned int) = nullptr;
  Result (*uuid)(void*, char*, unsigned int) = nullptr;
  Result (*serial)(void*, char*, unsigned int) = nullptr;
  Result (*memory)(void*, Memory*) = nullptr;
  Result (*utilization)(void*, Utilization*) = nullptr;
  Result (*processes)(void*, unsigned int*, ProcessInfo*) = nullptr;
  Result (*samples)(void*, ProcessSample*, unsigned int*, unsigned long long) = nullptr;

  bool complete() const {
    return init != nullptr && driver != nullptr && count != nullptr && handle != nullptr &&
           name != nullptr && uuid != nullptr && memory != nullptr && utilization != nullptr;
  }
};

Nvml::Nvml() {
  // Never closed, because its threads may run until the process ends.
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    fault_ = "there is no NVIDIA driver here (libnvidia-ml.so.1 was not found)";
    return;
  }
  has_driver_ = true;
  static Functions functions;
  find(library, "nvmlInit_v2", functions.init);
  find(library, "nvmlErrorString", functions.error);
  find(library, "nvmlSystemGetDriverVersion", functions.driver);
  find(library, "nvmlSystemGetCudaDriverVersion_v2", functions.cuda);
  find(library, "nvmlDeviceGetCount_v2", functions.count);
  find(library, "nvmlDeviceGetHandleByIndex_v2", functions.handle);
  find(library, "nvmlDeviceGetName", functions.name);
  find(library, "nvmlDeviceGetUUID", functions.uuid);
  find(library, "nvmlDeviceGetSerial", functions.serial);
  find(library, "nvmlDeviceGetMemoryInfo", functions.memory);
  find(library, "nvmlDeviceGetUtilizationRates", functions.utilization);
  find(library, "nvmlDeviceGetComputeRunningProcesses_v3", functions.processes);
  find(library, "nvmlDeviceGetProcessUtilization", functions.samples);
  if (!functions.complete()) {
    fault_ = "the NVIDIA driver is too old: its NVML lacks calls that gridlock needs";
    return;
  }
  if (const Result result = functions.init(); result != kSuccess) {
    const char* why = functions.error == nullptr ? nullptr : functions.error(result);
    fault_ = "the NVIDIA driver does not start: ";
    fault_ += why == nullptr ? "NVML error " + std::to_string(result) : std::string(why);
    return;
  }
  functions_ = &functions;
  read_gpus();
}

void Nvml::read_gpus() {
  std::array<char, 96> text{};
  if (functions_->driver(text.data(), text.size()) == kSuccess) driver_ = text.data();
  if (functions_->cuda != nullptr) functions_->cuda(&cuda_);
  unsigned int count = 0;
  if (functions_->count(&count) != kSuccess) count = 0;
  for (unsigned int index = 0; index < count; ++index) {
    void* handle = nullptr;
    // A GPU that has fallen off the bus cannot run anything.
    if (functions_->handle(index, &handle) != kSuccess) continue;
    Gpu gpu;
    Memory memory{};
    if (functions_->name(handle, text.data(), text.size()) == kSuccess) gpu.name = text.data();
    if (functions_->uuid(handle, text.data(), text.size()) == kSuccess) gpu.uuid = text.data();
    if (functions_->serial != nullptr &&
        functions_->serial(handle, text.data(), text.size()) == kSuccess) {
      gpu.serial = text.data();
    }
    if (functions_->memory(handle, &memory) == kSuccess) {
      gpu.memory_mib = static_cast<double>(memory.total) / kMib;
    }
    handles_.push_back(handle);
    gpus_.push_back(gpu);
  }
}

// Adds how busy each process kept the GPU, from the driver's latest sample.
void Nvml::add_samples(void* handle, Load& load) const {
  std::array<ProcessSample, 1024> samples{};
  auto count = static_cast<unsigned int>(samples.size());
  if (functions_->samples == nullptr ||
      functions_->samples(handle, samples.data(), &count, 0) != kSuccess) {
    return;
  }
  for (Load::Process& process : load.processes) {
    unsigned long long newest = 0;
    for (unsigned int i = 0; i < count && i < samples.size(); ++i) {
      const ProcessSample& sample = samples[i];
      if (static_cast<std::int64_t>(sample.pid) != process.pid || sample.time_us < newest) continue;
      newest = sample.time_us;
      process.sm_percent = static_cast<int>(sample.sm);
    }
  }
}

std::optional<Load> Nvml::load(std::size_t index) const {
  void* handle = handles_.at(index);
  Utilization utilization{};
  if (functions_->utilization(handle, &utilization) != kSuccess) return std::nullopt;
  Load load;
  load.gpu_percent = static_cast<int>(utilization.gpu);
  load.memory_percent = static_cast<int>(utilization.memory);
  Memory memory{};
  if (functions_->memory(handle, &memory) == kSuccess) {
    load.memory_mib = static_cast<double>(memory.used) / kMib;
  }
  std::array<ProcessInfo, 256> processes{};
  auto count = static_cast<unsigned int>(processes.size());
  if (functions_->processes == nullptr ||
      functions_->processes(handle, &count, processes.data()) != kSuccess) {
    return load;
  }
  for (unsigned int i = 0; i < count && i < processes.size(); ++i) {
    Load::Process process{
        .pid = processes[i].pid, .memory_mib = std::nullopt, .sm_percent = std::nullopt};
    if (processes[i].used_memory != kNotAvailable) {
      process.memory_mib = static_cast<double>(processes[i].used_memory) / kMib;
    }
    load.processes.push_back(process);
  }
  add_samples(handle, load);
  return load;
}

}  // namespace gridlock::gpus
