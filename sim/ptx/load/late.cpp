// Modules that come late: with the variables that others need, or when a function is first called.
#include <algorithm>
#include <mutex>
#include <set>

#include "sim/ptx/load/linker.h"
#include "sim/ptx/text/declarations.h"

namespace sim::ptx {
namespace {

bool is_missing_variable(const VariableSource& v) {
  const bool of_launch = v.space == Space::kShared && v.bytes == 0;
  return v.linkage == Linkage::kExtern && !of_launch;
}

}  // namespace

// What is needed to link on: kept as long as the program.
struct Program::Late {
  Late(Program& program, std::span<const ModuleText> modules, MoreModules& more)
      : linker(program, modules, &more) {}
  std::mutex mutex;
  Linker linker;
  std::unordered_map<const Function*, const Function*> known;  // by what stands for it
};

Program::Program(std::span<const ModuleText> modules) { Linker(*this, modules, nullptr).link(); }
Program::Program(std::span<const ModuleText> modules, MoreModules& more)
    : late_(std::make_unique<Late>(*this, modules, more)) {
  late_->linker.link();
}
Program::~Program() = default;

const Function& Program::bring(const Function& late) const {
  const std::scoped_lock lock(late_->mutex);
  const Function*& known = late_->known[&late];
  if (known == nullptr) known = late_->linker.bring(late);
  return *known;
}

// Modules bring variables, and these modules name others.
void Linker::add_what_variables_need() {
  std::set<std::string_view> found;
  for (const Module& module : modules_) {
    for (const VariableSource& v : module.source.variables) {
      if (v.linkage != Linkage::kExtern) found.insert(v.name);
    }
  }
  for (std::size_t n = 0; n < modules_.size(); ++n) {  // need() adds some
    const auto need = [&](const VariableSource& v) {
      if (!is_missing_variable(v) || found.contains(v.name) || !more_->has(v.name)) return;
      add(more_->get(v.name));
      for (const VariableSource& brought : modules_.back().source.variables) {
        if (brought.linkage != Linkage::kExtern) found.insert(brought.name);
      }
    };
    for (const VariableSource& v : modules_[n].source.variables) need(v);
    for (const FunctionSource& function : modules_[n].source.functions) {
      for (const VariableSource& v : function.variables) need(v);
    }
  }
}

// Functions that variables hold the address of, and that only another module has.
void Linker::stand_in_for_functions(const Module& module) {
  for (const VariableSource& v : module.source.variables) {
    for (const Initial& initial : v.initial) {
      const std::string_view name = initial.symbol;
      if (name.empty() || find_function(module, name) != nullptr || !more_->has(name)) continue;
      Function& function = program_.functions_.emplace_back();
      function.name = name;
      function.late = true;
      number(function);
      visible_functions_[name] = &function;
    }
  }
}

const Function* Linker::bring(const Function& late) {
  const auto stands = visible_functions_.find(late.name);
  if (stands != visible_functions_.end() && !stands->second->late) return stands->second;
  const ModuleText text = more_->get(late.name);
  const std::size_t first_body = bodies_.size();
  const std::size_t first_shared = shared_.size();
  add(text);
  Module& module = modules_.back();
  declare_functions(module);
  declare_variables(module);
  for (std::size_t n = first_body; n < bodies_.size(); ++n) declare_variables_of(bodies_[n]);
  for (std::size_t n = first_body; n < bodies_.size(); ++n)
    place_late(module, first_shared, bodies_[n]);
  fill_variables(module);
  for (std::size_t n = first_body; n < bodies_.size(); ++n) fill_variables_of(bodies_[n]);
  for (std::size_t n = first_body; n < bodies_.size(); ++n) decode(bodies_[n]);
  const auto brought = visible_functions_.find(late.name);
  if (brought == visible_functions_.end() || brought->second->late)
    throw Refused(text.name + ": does not define '" + late.name + "'");
  return brought->second;
}

// Blocks that run have their shared memory already: a late module may use it and not add to it.
void Linker::place_late(const Module& module, std::size_t first_shared, const Body& body) {
  if (shared_.size() != first_shared)
    refuse(module, body.source->line, "a module that comes late has shared memory of its own");
  if (next_number_ > program_.by_number_.size())
    refuse(module, body.source->line, "too many functions come late");
  body.function->dynamic_shared_offset = static_cast<std::uint32_t>(dynamic_shared_);
}

}  // namespace sim::ptx
