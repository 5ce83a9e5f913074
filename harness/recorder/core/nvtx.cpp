// Labels: the recorder is an NVTX injection (NVTX_INJECTION64_PATH). NVTX hands it tables of
// function pointers to fill; layouts and numbers are those of nvtxTypes.h (NVTX 2 and 3).
#include <cstddef>
#include <cstdint>

#include "harness/recorder/core/interpose.h"
#include "harness/recorder/core/thread.h"

namespace {

using gridlock::recorder::this_thread;

struct Attributes {
  std::uint16_t version;
  std::uint16_t size;
  std::uint32_t category;
  std::int32_t color_type;
  std::uint32_t color;
  std::int32_t payload_type;
  std::int32_t reserved;
  std::uint64_t payload;
  std::int32_t message_type;
  union {
    const char* ascii;
    const wchar_t* unicode;
  } message;
};
static_assert(offsetof(Attributes, message) == 40 && sizeof(Attributes) == 48);

constexpr int kNoTracking = -2;  // what NVTX returns if no tool counts the nesting

int push_wide(const wchar_t* text) {
  char narrow[sizeof(gridlock::record::Label)] = {};
  for (std::size_t i = 0; text != nullptr && i < sizeof narrow - 1 && text[i] != L'\0'; ++i) {
    narrow[i] = text[i] < 128 ? static_cast<char>(text[i]) : '?';
  }
  this_thread().labels.push(narrow);
  return kNoTracking;
}

int push(const char* text) {
  this_thread().labels.push(text);
  return kNoTracking;
}

int push_attributes(const Attributes* attributes) {
  constexpr int kAscii = 1;
  constexpr int kUnicode = 2;
  if (attributes != nullptr && attributes->message_type == kUnicode) {
    return push_wide(attributes->message.unicode);
  }
  const bool ascii = attributes != nullptr && attributes->message_type == kAscii;
  return push(ascii ? attributes->message.ascii : "");
}

int pop() {
  this_thread().labels.pop();
  return kNoTracking;
}

int domain_push(void* /*domain*/, const Attributes* attributes) {
  return push_attributes(attributes);
}

int domain_pop(void* /*domain*/) { return pop(); }

using Function = void (*)();

struct Callbacks {
  std::size_t size;
  int (*table_of)(int module, Function*** table, unsigned int* entries);
};

template <class Callback>
void put(Function** table, unsigned int entries, unsigned int id, Callback callback) {
  if (id < entries && table[id] != nullptr) *table[id] = reinterpret_cast<Function>(callback);
}

}  // namespace

// Called by every copy of NVTX in the process. Returns whether the injection took place.
GRIDLOCK_INTERPOSE int InitializeInjectionNvtx2(const void* (*export_table)(std::uint32_t id)) {
  constexpr std::uint32_t kCallbacks = 1;
  constexpr int kCore = 1;
  constexpr int kCore2 = 5;
  const auto* callbacks = static_cast<const Callbacks*>(export_table(kCallbacks));
  if (callbacks == nullptr || callbacks->size < sizeof(Callbacks)) return 0;
  Function** table = nullptr;
  unsigned int entries = 0;
  if (callbacks->table_of(kCore, &table, &entries) == 0) return 0;
  put(table, entries, 8, push_attributes);
  put(table, entries, 9, push);
  put(table, entries, 10, push_wide);
  put(table, entries, 11, pop);
  if (callbacks->table_of(kCore2, &table, &entries) != 0) {
    put(table, entries, 4, domain_push);
    put(table, entries, 5, domain_pop);
  }
  return 1;
}
