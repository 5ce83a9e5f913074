// Resolves names to functions and variables, and gives the variables their places.
#pragma once

#include <deque>
#include <unordered_map>

#include "sim/ptx/load/program.h"
#include "sim/ptx/load/shared_layout.h"
#include "sim/ptx/operations/decoder.h"

namespace sim::ptx {

// A variable of any module or function, except locals and parameters.
struct Linked {
  const VariableSource* source = nullptr;
  std::byte* storage = nullptr;  // global and constant
  std::uint32_t shared = ~0U;    // index among shared variables
};

class Linker {
 public:
  // `more` may be null.
  Linker(Program& program, std::span<const ModuleText> texts, MoreModules* more);

  void link();

  // Links what `late` stands for, with its module, while others run.
  const Function* bring(const Function& late);

 private:
  struct Module {
    ModuleSource source;
    std::unordered_map<std::string_view, Linked*> variables;
    std::unordered_map<std::string_view, Function*> functions;
  };
  struct Body {
    Module* module;
    const FunctionSource* source;
    Function* function;
    std::vector<Linked*> variables;  // null for locals and parameters
    std::vector<Slot> locals;        // by variable, in local memory or an entry's parameters
  };
  friend class FunctionSymbols;

  [[noreturn]] static void refuse(const Module& module, std::uint32_t line, const std::string& why);
  void add(const ModuleText& text);
  void add_what_variables_need();
  void stand_in_for_functions(const Module& module);
  void declare_functions(Module& module);
  void declare_variables(Module& module);
  void declare_variables_of(Body& body);
  Linked* add_variable(const Module& module, const VariableSource& source);
  void lay_out_locals(Body& body);
  void lay_out_shared_variables();
  void place_late(const Module& module, std::size_t first_shared, const Body& body);
  void number(Function& function);
  void fill_variables(const Module& module);
  void fill_variables_of(const Body& body);
  void fill(const Module& module, const Linked& variable);
  void decode(Body& body);
  Linked* find_variable(const Module& module, std::string_view name) const;
  Function* find_function(const Module& module, std::string_view name) const;
  std::uint64_t address_of(const Module& module, std::uint32_t line, std::string_view symbol) const;
  Symbol symbol_of(const Linked& variable) const;

  Program& program_;
  MoreModules* more_;
  std::deque<Module> modules_;
  std::deque<Body> bodies_;
  std::deque<Linked> linked_;
  std::unordered_map<std::string_view, Linked*> visible_variables_;
  std::unordered_map<std::string_view, Function*> visible_functions_;
  std::vector<SharedVariable> shared_;
  std::uint64_t storage_bytes_ = 0;   // of all variables
  std::uint64_t dynamic_shared_ = 0;  // where extern shared arrays begin
  std::uint32_t next_number_ = 0;
};

}  // namespace sim::ptx
