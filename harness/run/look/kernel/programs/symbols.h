// Turns return addresses into source lines, offline, from the files that the ranks ran.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/detect/verdict/verdict.h"

namespace gridlock::run {

class Symbols {
 public:
  Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;
  ~Symbols();

  // "launch_bucket (reducer.cpp:88)"; "function (library)" if there are no lines; "" if nothing is
  // known. Names the innermost of inlined functions.
  //   Blocks   the first time in a module, to read its debug information
  std::string name(const detect::CodeLocation& location);

  // The first of `callers`, innermost first, that can be named.
  std::string name(const std::vector<detect::CodeLocation>& callers);

  // "/src/reducer.cpp:88", as given to the compiler, for the caller that name() names; "" if there
  // are no lines.
  std::string source(const std::vector<detect::CodeLocation>& callers);

 private:
  struct Place {
    std::string name;
    std::string source;
  };
  const Place& place(const detect::CodeLocation& location);

  struct Modules;
  std::unique_ptr<Modules> modules_;
};

}  // namespace gridlock::run
