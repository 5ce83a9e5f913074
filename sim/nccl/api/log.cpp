// NCCL_DEBUG lines and the last error.
#include "sim/nccl/api/log.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>

namespace sim::nccl {
namespace {

enum class Level { kNone, kWarn, kInfo };

using Line = std::array<char, 1024>;

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

struct Log {
  Level level = Level::kNone;
  std::FILE* file = stdout;
  std::string host = host_name();
  std::mutex mutex;
  std::string last_error;

  Log() {
    const char* wanted = std::getenv("NCCL_DEBUG");
    const std::string_view name = wanted != nullptr ? wanted : "";
    if (name == "WARN") level = Level::kWarn;
    if (name == "INFO" || name == "TRACE") level = Level::kInfo;
    const char* path = std::getenv("NCCL_DEBUG_FILE");
    if (level == Level::kNone || path == nullptr) return;
    if (std::FILE* opened = std::fopen(expand(path).c_str(), "w"); opened != nullptr) {
      std::setvbuf(opened, nullptr, _IOLBF, 0);
      file = opened;
    }
  }

  std::string expand(std::string_view path) const {
    std::string name;
    for (std::size_t i = 0; i < path.size(); ++i) {
      const char next = path[i] == '%' && i + 1 < path.size() ? path[i + 1] : '\0';
      if (next == 'h') {
        name += host;
      } else if (next == 'p') {
        name += std::to_string(getpid());
      } else {
        name += path[i];
        continue;
      }
      ++i;
    }
    return name;
  }
};

Log& log() {
  static Log* const kept = new Log;  // never destroyed: threads may log while the process exits
  return *kept;
}

void print(Level level, const char* kind, const char* text) {
  Log& to = log();
  if (level > to.level) return;
  const std::lock_guard lock(to.mutex);
  std::fprintf(to.file, "%s:%d:%ld NCCL %s %s\n", to.host.c_str(), getpid(), syscall(SYS_gettid),
               kind, text);
  std::fflush(to.file);
}

}  // namespace

void info(const char* format, ...) {
  if (log().level < Level::kInfo) return;
  Line line{};
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line.data(), line.size(), format, arguments);
  va_end(arguments);
  print(Level::kInfo, "INFO", line.data());
}

void warn(const char* format, ...) {
  Line line{};
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line.data(), line.size(), format, arguments);
  va_end(arguments);
  print(Level::kWarn, "WARN", line.data());
}

ncclResult_t fail(ncclResult_t result, const char* format, ...) {
  Line line{};
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line.data(), line.size(), format, arguments);
  va_end(arguments);
  print(Level::kWarn, "WARN", line.data());
  const std::lock_guard lock(log().mutex);
  log().last_error = line.data();
  return result;
}

const char* last_error() {
  thread_local std::string copy;
  const std::lock_guard lock(log().mutex);
  copy = log().last_error;
  return copy.c_str();  // NOLINT(clang-analyzer-cplusplus.InnerPointer): valid until the next call
}

}  // namespace sim::nccl
