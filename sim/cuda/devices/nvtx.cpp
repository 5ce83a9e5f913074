// NVTX. The first call loads the tool named by NVTX_INJECTION64_PATH and passes it the addresses of
// our function pointers, which the tool fills in. After that, a call is a jump through its pointer.
// NVTX 3's own header uses the same protocol, so a tool cannot tell the difference.
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace {

using Function = void (*)();
enum Module : int { kInvalid, kCore, kCuda, kOpenCl, kCudart, kCore2, kSync, kModules };

// Functions by their number in the protocol; number 0 is none.
enum Core : int {
  kMarkEx = 1,
  kMarkA,
  kMarkW,
  kRangeStartEx,
  kRangeStartA,
  kRangeStartW,
  kRangeEnd,
  kRangePushEx,
  kRangePushA,
  kRangePushW,
  kRangePop,
  kNameCategoryA,
  kNameCategoryW,
  kNameOsThreadA,
  kNameOsThreadW
};
enum Core2 : int {
  kDomainMarkEx = 1,
  kDomainRangeStartEx,
  kDomainRangeEnd,
  kDomainRangePushEx,
  kDomainRangePop,
  kDomainResourceCreate,
  kDomainResourceDestroy,
  kDomainNameCategoryA,
  kDomainNameCategoryW,
  kDomainRegisterStringA,
  kDomainRegisterStringW,
  kDomainCreateA,
  kDomainCreateW,
  kDomainDestroy,
  kInitialize
};

constexpr unsigned int kMostFunctions = 16;
constexpr unsigned int kFunctions[kModules] = {0, 16, 9, 15, 7, 16, 7};

Function functions[kModules][kMostFunctions];
Function* tables[kModules][kMostFunctions + 1];

extern "C" int get_module_function_table(int module, Function*** table, unsigned int* size) {
  if (module <= kInvalid || module >= kModules) return 0;
  if (size != nullptr) *size = kFunctions[module];
  if (table != nullptr) *table = tables[module];
  return 1;
}

extern "C" void set_injection_version(std::uint32_t) {}

struct Callbacks {
  std::size_t struct_size;
  int (*get_module_function_table)(int module, Function*** table, unsigned int* size);
};
struct VersionInfo {
  std::size_t struct_size;
  std::uint32_t version;
  std::uint32_t reserved;
  void (*set_injection_version)(std::uint32_t version);
};

constexpr std::uint32_t kExportCallbacks = 1;
constexpr std::uint32_t kExportVersionInfo = 3;
const Callbacks callbacks{sizeof(Callbacks), &get_module_function_table};
const VersionInfo version_info{sizeof(VersionInfo), NVTX_VERSION, 0, &set_injection_version};

extern "C" const void* get_export_table(std::uint32_t id) {
  if (id == kExportCallbacks) return &callbacks;
  if (id == kExportVersionInfo) return &version_info;
  return nullptr;
}

using GetExportTable = const void* (*)(std::uint32_t);
using InitializeInjection = int (*)(GetExportTable);

InitializeInjection find_injection() {
  const char* path = std::getenv("NVTX_INJECTION64_PATH");
  if (path == nullptr) return nullptr;
  void* library = dlopen(path, RTLD_LAZY);
  void* entry = library == nullptr ? nullptr : dlsym(library, "InitializeInjectionNvtx2");
  if (entry == nullptr) {
    std::fprintf(stderr, "gridlock-sim: NVTX_INJECTION64_PATH: %s. NVTX calls do nothing.\n",
                 dlerror());
  }
  return reinterpret_cast<InitializeInjection>(entry);
}

enum State : int { kFresh, kStarted, kComplete };
std::atomic<int> state{kFresh};
thread_local bool initializing = false;

void initialize() {
  int expected = kFresh;
  if (!state.compare_exchange_strong(expected, kStarted)) {
    while (state.load() != kComplete) sched_yield();
    return;
  }
  initializing = true;
  for (int module = kCore; module < kModules; ++module) {
    for (unsigned int i = 1; i < kFunctions[module]; ++i) {
      tables[module][i] = &functions[module][i];
    }
  }
  const InitializeInjection injection = find_injection();
  if (injection != nullptr && injection(&get_export_table) == 0) {
    std::fprintf(stderr,
                 "gridlock-sim: the NVTX injection refused to start. NVTX calls do nothing.\n");
    for (auto& module : functions) {
      for (Function& function : module) function = nullptr;
    }
  }
  initializing = false;
  state.store(kComplete);
}

// Calls the tool's function; returns `nothing` if it has none.
template <class Result, class... Arguments>
Result call(Module module, int number, Result nothing, Arguments... arguments) {
  if (state.load(std::memory_order_acquire) != kComplete) {
    if (initializing) return nothing;  // the tool calls NVTX while it starts
    initialize();
  }
  const Function function = functions[module][number];
  if (function == nullptr) return nothing;
  return reinterpret_cast<Result (*)(Arguments...)>(function)(arguments...);
}

template <class... Arguments>
void call_void(Module module, int number, Arguments... arguments) {
  if (state.load(std::memory_order_acquire) != kComplete) {
    if (initializing) return;
    initialize();
  }
  const Function function = functions[module][number];
  if (function != nullptr) reinterpret_cast<void (*)(Arguments...)>(function)(arguments...);
}

constexpr int kNoTracking = NVTX_NO_PUSH_POP_TRACKING;
constexpr nvtxRangeId_t kNoRange = 0;

}  // namespace

void nvtxInitialize(const void* reserved) { call_void(kCore2, kInitialize, reserved); }
void nvtxMarkEx(const nvtxEventAttributes_t* eventAttrib) {
  call_void(kCore, kMarkEx, eventAttrib);
}
void nvtxMarkA(const char* message) { call_void(kCore, kMarkA, message); }
void nvtxMarkW(const wchar_t* message) { call_void(kCore, kMarkW, message); }

nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t* eventAttrib) {
  return call(kCore, kRangeStartEx, kNoRange, eventAttrib);
}
nvtxRangeId_t nvtxRangeStartA(const char* message) {
  return call(kCore, kRangeStartA, kNoRange, message);
}
nvtxRangeId_t nvtxRangeStartW(const wchar_t* message) {
  return call(kCore, kRangeStartW, kNoRange, message);
}
void nvtxRangeEnd(nvtxRangeId_t id) { call_void(kCore, kRangeEnd, id); }

int nvtxRangePushEx(const nvtxEventAttributes_t* eventAttrib) {
  return call(kCore, kRangePushEx, kNoTracking, eventAttrib);
}
int nvtxRangePushA(const char* message) { return call(kCore, kRangePushA, kNoTracking, message); }
int nvtxRangePushW(const wchar_t* message) {
  return call(kCore, kRangePushW, kNoTracking, message);
}
int nvtxRangePop() { return call(kCore, kRangePop, kNoTracking); }

void nvtxNameCategoryA(uint32_t category, const char* name) {
  call_void(kCore, kNameCategoryA, category, name);
}
void nvtxNameCategoryW(uint32_t category, const wchar_t* name) {
  call_void(kCore, kNameCategoryW, category, name);
}
void nvtxNameOsThreadA(uint32_t threadId, const char* name) {
  call_void(kCore, kNameOsThreadA, threadId, name);
}
void nvtxNameOsThreadW(uint32_t threadId, const wchar_t* name) {
  call_void(kCore, kNameOsThreadW, threadId, name);
}

nvtxDomainHandle_t nvtxDomainCreateA(const char* name) {
  return call(kCore2, kDomainCreateA, nvtxDomainHandle_t{}, name);
}
nvtxDomainHandle_t nvtxDomainCreateW(const wchar_t* name) {
  return call(kCore2, kDomainCreateW, nvtxDomainHandle_t{}, name);
}
void nvtxDomainDestroy(nvtxDomainHandle_t domain) { call_void(kCore2, kDomainDestroy, domain); }
void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* eventAttrib) {
  call_void(kCore2, kDomainMarkEx, domain, eventAttrib);
}
nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain,
                                     const nvtxEventAttributes_t* eventAttrib) {
  return call(kCore2, kDomainRangeStartEx, kNoRange, domain, eventAttrib);
}
void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
  call_void(kCore2, kDomainRangeEnd, domain, id);
}
int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* eventAttrib) {
  return call(kCore2, kDomainRangePushEx, kNoTracking, domain, eventAttrib);
}
int nvtxDomainRangePop(nvtxDomainHandle_t domain) {
  return call(kCore2, kDomainRangePop, kNoTracking, domain);
}
nvtxResourceHandle_t nvtxDomainResourceCreate(nvtxDomainHandle_t domain,
                                              nvtxResourceAttributes_t* attribs) {
  return call(kCore2, kDomainResourceCreate, nvtxResourceHandle_t{}, domain, attribs);
}
void nvtxDomainResourceDestroy(nvtxResourceHandle_t resource) {
  call_void(kCore2, kDomainResourceDestroy, resource);
}
void nvtxDomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t category, const char* name) {
  call_void(kCore2, kDomainNameCategoryA, domain, category, name);
}
void nvtxDomainNameCategoryW(nvtxDomainHandle_t domain, uint32_t category, const wchar_t* name) {
  call_void(kCore2, kDomainNameCategoryW, domain, category, name);
}
nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char* string) {
  return call(kCore2, kDomainRegisterStringA, nvtxStringHandle_t{}, domain, string);
}
nvtxStringHandle_t nvtxDomainRegisterStringW(nvtxDomainHandle_t domain, const wchar_t* string) {
  return call(kCore2, kDomainRegisterStringW, nvtxStringHandle_t{}, domain, string);
}
