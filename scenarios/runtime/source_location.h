// std::source_location, also for compilers without it (clang before 16, which is the linter of many
// systems).
#pragma once

#include <version>

#ifdef __cpp_lib_source_location

#include <source_location>

namespace gridlock {
using SourceLocation = std::source_location;
}  // namespace gridlock

#else

namespace gridlock {

class SourceLocation {
 public:
  static constexpr SourceLocation current(const char* file = __builtin_FILE(),
                                          unsigned line = __builtin_LINE(),
                                          const char* function = __builtin_FUNCTION()) {
    return SourceLocation(file, line, function);
  }
  constexpr const char* file_name() const { return file_; }
  constexpr unsigned line() const { return line_; }
  constexpr const char* function_name() const { return function_; }

 private:
  constexpr SourceLocation(const char* file, unsigned line, const char* function)
      : file_(file), line_(line), function_(function) {}
  const char* file_;
  unsigned line_;
  const char* function_;
};

}  // namespace gridlock

#endif
