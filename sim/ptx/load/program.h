// Modules linked by name: everything that a launch needs, with the memory of the variables.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/ptx/state/instruction.h"
#include "sim/ptx/state/late.h"
#include "sim/ptx/state/memory.h"
#include "sim/ptx/text/token.h"

namespace sim::ptx {

struct ModuleText {
  std::string name;       // for messages
  std::string_view text;  // need not outlive the program
};

// Modules that a program gets only when it needs them.
class MoreModules {
 public:
  virtual ~MoreModules() = default;
  // Whether one of them defines this function or variable.
  virtual bool has(std::string_view symbol) const = 0;
  // The module that does; its text must outlive the program. Throws Refused where it cannot be had.
  //   Blocks   as long as it takes to make it
  virtual ModuleText get(std::string_view symbol) = 0;
};

// Immutable but for the contents of its variables and for functions that come late. Several threads
// may launch from one program.
class Program : public LateFunctions {
 public:
  // Throws Refused with module, line and opcode at the first error or unknown instruction. It looks
  // up a symbol in its own module first, then among the visible symbols of all modules.
  explicit Program(std::span<const ModuleText> modules);
  // What these modules name and do not have is taken from `more`, which must outlive the program:
  // variables now, a function whose address alone is named when it is first called. The texts must
  // outlive the program too.
  Program(std::span<const ModuleText> modules, MoreModules& more);
  ~Program() override;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Null if no entry has this name.
  const Function* kernel(std::string_view name) const;
  std::vector<std::string> kernels() const;

  struct Variable {
    void* address;
    std::size_t bytes;
  };
  // A variable of global or constant memory that any module makes visible. A module's private
  // variable counts too, if no other module has that name.
  std::optional<Variable> variable(std::string_view name) const;

  const std::vector<const Function*>& functions() const { return by_number_; }

  const Function& bring(const Function& late) const override;
  const Memory& globals() const { return globals_; }

 private:
  friend class Linker;
  std::deque<Function> functions_;
  std::deque<Files> files_;
  std::vector<const Function*> by_number_;
  std::unordered_map<std::string, const Function*> kernels_;
  std::unordered_map<std::string, Variable> variables_;
  struct Free {
    void operator()(void* block) const { std::free(block); }
  };
  std::vector<std::unique_ptr<void, Free>> storage_;
  Memory globals_;

  struct Late;
  std::unique_ptr<Late> late_;
};

}  // namespace sim::ptx
