// Lays out variables and locals, resolves names, and decodes each function.
#include "sim/ptx/load/linker.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "sim/ptx/load/registers.h"
#include "sim/ptx/state/address.h"
#include "sim/ptx/state/warp.h"
#include "sim/ptx/text/declarations.h"

namespace sim::ptx {
namespace {

constexpr std::uint64_t kMostSharedBytes = 227 << 10;  // that a block may have on a GPU
constexpr std::uint64_t kMostLocalBytes = 512 << 10;   // that a thread may have
constexpr std::uint64_t kMostParameterBytes = 32764;
constexpr std::size_t kLateFunctions = 1 << 14;  // with what their modules have beside them

// .extern .shared without a length: the launch provides it.
bool is_dynamic(const VariableSource& v) { return v.space == Space::kShared && v.bytes == 0; }

std::uint64_t aligned(std::uint64_t offset, std::uint64_t to) {
  return (offset + to - 1) / to * to;
}

}  // namespace

// What names mean inside a function.
class FunctionSymbols : public Symbols {
 public:
  FunctionSymbols(const Linker& linker, const Linker::Body& body) : linker_(linker), body_(body) {}

  Symbol variable(std::uint32_t id) const override {
    if (const Linked* linked = body_.variables[id]) return linker_.symbol_of(*linked);
    Symbol symbol;
    const bool parameter = body_.function->entry && id < body_.source->parameters;
    symbol.kind = parameter ? Symbol::Kind::kParameter : Symbol::Kind::kLocal;
    symbol.address = body_.locals[id].offset;
    symbol.bytes = body_.locals[id].bytes;
    return symbol;
  }

  Symbol named(std::string_view name) const override {
    Symbol symbol;
    if (const Linked* linked = linker_.find_variable(*body_.module, name))
      return linker_.symbol_of(*linked);
    if (const Function* function = linker_.find_function(*body_.module, name)) {
      symbol.kind = Symbol::Kind::kFunction;
      symbol.address = kFunctionWindow + function->number * kFunctionStep;
      symbol.function = function;
    }
    return symbol;
  }

 private:
  const Linker& linker_;
  const Linker::Body& body_;
};

Linker::Linker(Program& program, std::span<const ModuleText> texts, MoreModules* more)
    : program_(program), more_(more) {
  for (const ModuleText& text : texts) add(text);
}

void Linker::add(const ModuleText& text) {
  Module& module = modules_.emplace_back();
  module.name = text.name;
  module.source = parse(module.name, text.text);
}

void Linker::refuse(const Module& module, std::uint32_t line, const std::string& why) {
  throw Refused(std::string(module.source.name) + ":" + std::to_string(line) + ": " + why);
}

void Linker::link() {
  if (more_ != nullptr) add_what_variables_need();
  for (Module& module : modules_) declare_functions(module);
  if (more_ != nullptr) {
    for (const Module& module : modules_) stand_in_for_functions(module);
    // The table never moves while a kernel runs.
    program_.by_number_.resize(program_.by_number_.size() + kLateFunctions);
  }
  for (Module& module : modules_) declare_variables(module);
  for (Body& body : bodies_) declare_variables_of(body);
  lay_out_shared_variables();
  for (const Module& module : modules_) fill_variables(module);
  for (const Body& body : bodies_) fill_variables_of(body);
  for (Body& body : bodies_) decode(body);
}

void Linker::number(Function& function) {
  function.number = next_number_++;
  std::vector<const Function*>& all = program_.by_number_;
  if (function.number == all.size()) all.push_back(nullptr);
  all[function.number] = &function;
}

void Linker::declare_functions(Module& module) {
  Files& files = program_.files_.emplace_back();
  files.module = module.source.name;
  for (const auto& [number, name] : module.source.files) {
    if (number >= files.names.size() && number < 100'000) files.names.resize(number + 1);
    if (number < files.names.size()) files.names[number] = name;
  }
  for (const FunctionSource& source : module.source.functions) {
    if (!source.defined) continue;
    const bool weak = source.linkage == Linkage::kWeak;
    const bool visible = weak || source.linkage == Linkage::kVisible;
    if (module.functions.contains(source.name))
      refuse(module, source.line, "'" + std::string(source.name) + "' is defined twice");
    if (const auto other = visible_functions_.find(source.name);
        visible && other != visible_functions_.end() && !other->second->late) {
      // Of weak definitions, the first wins. A second strong definition is an error.
      if (!weak)
        refuse(module, source.line,
               "'" + std::string(source.name) + "' is defined in another module too");
      module.functions[source.name] = other->second;
      continue;
    }
    Function& function = program_.functions_.emplace_back();
    function.name = source.name;
    function.entry = source.entry;
    function.files = &files;
    number(function);
    module.functions[source.name] = &function;
    if (visible) visible_functions_[source.name] = &function;
    if (source.entry) program_.kernels_.try_emplace(function.name, &function);
    bodies_.push_back({&module, &source, &function, {}, {}});
    lay_out_locals(bodies_.back());
  }
}

// An entry's parameters lie in their own space. All other variables of a function lie in local
// memory.
void Linker::lay_out_locals(Body& body) {
  const FunctionSource& source = *body.source;
  std::uint64_t local = 0;
  std::uint64_t parameters = 0;
  body.variables.resize(source.variables.size());
  body.locals.resize(source.variables.size());
  for (std::uint32_t id = 0; id < source.variables.size(); ++id) {
    const VariableSource& v = source.variables[id];
    if (v.space != Space::kLocal && v.space != Space::kParam) continue;
    const bool of_entry = source.entry && id < source.parameters;
    std::uint64_t& end = of_entry ? parameters : local;
    const std::uint64_t offset = aligned(end, of_entry ? v.align : std::max(v.align, 8U));
    end = offset + v.bytes;
    if (end > (of_entry ? kMostParameterBytes : kMostLocalBytes)) {
      refuse(*body.module, v.line,
             "'" + std::string(source.name) + "' has more " +
                 (of_entry ? "parameters" : "local memory") + " than a device allows");
    }
    body.locals[id] = {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(v.bytes)};
    if (id < source.returns)
      body.function->returns.push_back(body.locals[id]);
    else if (id < source.returns + source.parameters)
      body.function->parameters.push_back(body.locals[id]);
  }
  body.function->parameter_bytes = static_cast<std::uint32_t>(parameters);
  body.function->local_bytes = static_cast<std::uint32_t>(aligned(local, 16));
}

Linked* Linker::add_variable(const Module& module, const VariableSource& source) {
  Linked& linked = linked_.emplace_back();
  linked.source = &source;
  if (source.space == Space::kShared) {
    if (is_dynamic(source)) return &linked;
    linked.shared = static_cast<std::uint32_t>(shared_.size());
    shared_.push_back({source.bytes, source.align, 0});
    return &linked;
  }
  if (source.bytes == 0)
    refuse(module, source.line, "'" + std::string(source.name) + "' has no size");
  // calloc, so that untouched pages of a large array cost nothing.
  const std::uint64_t align = std::max<std::uint64_t>(source.align, 16);
  storage_bytes_ += source.bytes + align;
  void* block =
      storage_bytes_ > kMostVariableBytes ? nullptr : std::calloc(source.bytes + align, 1);
  if (block == nullptr)
    refuse(module, source.line, "there is no memory for '" + std::string(source.name) + "'");
  program_.storage_.emplace_back(block);
  linked.storage = at_address(aligned(reinterpret_cast<std::uintptr_t>(block), align));
  program_.globals_.add(linked.storage, source.bytes, source.space != Space::kConst);
  return &linked;
}

void Linker::declare_variables(Module& module) {
  for (const VariableSource& source : module.source.variables) {
    // A shared array without a length is the launch's dynamic memory, whatever its name.
    if (source.linkage == Linkage::kExtern && !is_dynamic(source)) continue;
    const bool weak = source.linkage == Linkage::kWeak;
    const bool visible = weak || source.linkage == Linkage::kVisible;
    if (const auto other = visible_variables_.find(source.name);
        visible && other != visible_variables_.end()) {
      if (!weak)
        refuse(module, source.line,
               "'" + std::string(source.name) + "' is defined in another module too");
      module.variables[source.name] = other->second;
      continue;
    }
    Linked* linked = add_variable(module, source);
    module.variables[source.name] = linked;
    if (visible) visible_variables_[source.name] = linked;
    if (linked->storage != nullptr) {
      const auto [known, is_new] = program_.variables_.try_emplace(
          std::string(source.name), Program::Variable{linked->storage, source.bytes});
      if (!is_new && visible) known->second = {linked->storage, source.bytes};
    }
  }
}

void Linker::declare_variables_of(Body& body) {
  for (std::size_t id = 0; id < body.source->variables.size(); ++id) {
    const VariableSource& v = body.source->variables[id];
    if (v.space == Space::kLocal || v.space == Space::kParam) continue;
    if (v.linkage == Linkage::kExtern && !is_dynamic(v)) {
      body.variables[id] = find_variable(*body.module, v.name);
      if (body.variables[id] == nullptr)
        refuse(*body.module, v.line, "nothing is called '" + std::string(v.name) + "'");
    } else {
      body.variables[id] = add_variable(*body.module, v);
    }
  }
}

Linked* Linker::find_variable(const Module& module, std::string_view name) const {
  if (const auto own = module.variables.find(name); own != module.variables.end())
    return own->second;
  const auto other = visible_variables_.find(name);
  return other == visible_variables_.end() ? nullptr : other->second;
}

Function* Linker::find_function(const Module& module, std::string_view name) const {
  if (const auto own = module.functions.find(name); own != module.functions.end())
    return own->second;
  const auto other = visible_functions_.find(name);
  return other == visible_functions_.end() ? nullptr : other->second;
}

void Linker::lay_out_shared_variables() {
  std::vector<SharedUse> uses(next_number_);
  std::vector<std::uint32_t> taken;
  for (const Module& module : modules_) {
    for (const VariableSource& v : module.source.variables) {
      for (const Initial& initial : v.initial) {
        if (initial.symbol.empty()) continue;
        if (const Function* f = find_function(module, initial.symbol)) taken.push_back(f->number);
      }
    }
  }
  for (const Body& body : bodies_) {
    SharedUse& use = uses[body.function->number];
    use.entry = body.function->entry;
    for (const Statement& statement : body.source->statements) {
      const bool call = statement.opcode.starts_with("call");
      for (std::uint32_t n = 0; n < statement.count && call; ++n) {
        const OperandSource& operand = body.source->operands[statement.first + n];
        use.indirect = use.indirect || operand.kind == OperandSource::Kind::kRegister;
      }
    }
    for (const OperandSource& operand : body.source->operands) {
      const Linked* linked = nullptr;
      if (operand.kind == OperandSource::Kind::kVariable) linked = body.variables[operand.id];
      if (operand.kind == OperandSource::Kind::kName) {
        linked = find_variable(*body.module, operand.name);
        // Any function that receives this address may call it.
        if (const Function* f = find_function(*body.module, operand.name))
          use.calls.push_back(f->number);
      }
      if (linked != nullptr && linked->shared != ~0U) use.variables.push_back(linked->shared);
    }
  }
  lay_out_shared(shared_, uses, taken);
  for (const Body& body : bodies_) {
    const std::uint64_t bytes = uses[body.function->number].bytes;
    if (bytes > kMostSharedBytes)
      refuse(*body.module, body.source->line,
             "'" + body.function->name + "' has more shared memory than a device");
    body.function->static_shared_bytes = static_cast<std::uint32_t>(bytes);
    dynamic_shared_ = std::max(dynamic_shared_, bytes);
  }
  // One address for all kernels, because code that several of them call can know only one.
  dynamic_shared_ = aligned(dynamic_shared_, 16);
  for (const Body& body : bodies_)
    body.function->dynamic_shared_offset = static_cast<std::uint32_t>(dynamic_shared_);
}

Symbol Linker::symbol_of(const Linked& variable) const {
  Symbol symbol;
  symbol.bytes = static_cast<std::uint32_t>(variable.source->bytes);
  if (variable.source->space != Space::kShared) {
    symbol.kind = Symbol::Kind::kAddress;
    symbol.address = reinterpret_cast<std::uint64_t>(variable.storage);
  } else {
    symbol.kind = Symbol::Kind::kShared;
    symbol.address = variable.shared == ~0U ? dynamic_shared_ : shared_[variable.shared].offset;
  }
  return symbol;
}

std::uint64_t Linker::address_of(const Module& module, std::uint32_t line,
                                 std::string_view symbol) const {
  if (const Linked* variable = find_variable(module, symbol)) {
    const Symbol found = symbol_of(*variable);
    return found.kind == Symbol::Kind::kShared ? found.address + kSharedWindow : found.address;
  }
  if (const Function* function = find_function(module, symbol))
    return kFunctionWindow + function->number * kFunctionStep;
  refuse(module, line, "nothing is called '" + std::string(symbol) + "'");
}

void Linker::fill_variables(const Module& module) {
  for (const VariableSource& source : module.source.variables) {
    const auto own = module.variables.find(source.name);
    if (own != module.variables.end() && own->second->source == &source) fill(module, *own->second);
  }
}

void Linker::fill_variables_of(const Body& body) {
  for (std::size_t id = 0; id < body.variables.size(); ++id) {
    const Linked* linked = body.variables[id];
    if (linked != nullptr && linked->source == &body.source->variables[id])
      fill(*body.module, *linked);
  }
}

void Linker::fill(const Module& module, const Linked& variable) {
  const VariableSource& source = *variable.source;
  if (source.initial.empty()) return;
  if (variable.storage == nullptr)
    refuse(module, source.line, "shared memory has no initial values");
  const unsigned element = bytes_of(source.type);
  for (std::size_t n = 0; n < source.initial.size(); ++n) {
    const Initial& initial = source.initial[n];
    std::uint64_t value = initial.bits;
    if (!initial.symbol.empty()) value += address_of(module, source.line, initial.symbol);
    if (initial.mask != 0) value = (value & initial.mask) >> std::countr_zero(initial.mask);
    std::memcpy(variable.storage + n * element, &value, element);
  }
}

void Linker::decode(Body& body) {
  const FunctionSource& source = *body.source;
  const FunctionSymbols symbols(*this, body);
  Function& function = *body.function;
  Constants constants;
  std::vector<Draft> drafts;
  drafts.reserve(source.statements.size() + 1);
  for (const Statement& statement : source.statements) {
    Decoder decoder(body.module->source.name, source, statement, symbols, constants,
                    function.call_sites);
    const Decode decode_it = decode_of(decoder.base);
    if (decode_it == nullptr) decoder.refuse("the opcode is not known");
    decode_it(decoder);
    decoder.finish();
    const Location& location = body.module->source.locations[statement.location];
    decoder.draft.place = {statement.line, location.file, location.line};
    drafts.push_back(std::move(decoder.draft));
  }
  const Targets targets = lower(drafts, source.labels, body.module->source.name);
  const FlowGraph graph = flow_of(drafts, targets, function.entry);
  function.frame_bytes = assign_rows(drafts, graph, source.registers);
  if (function.frame_bytes > kRegisterBytes)
    refuse(*body.module, source.line,
           "'" + function.name + "' needs more registers than there are");
  const std::vector<std::byte> rows = constants.bytes();
  function.constants.resize(rows.size() + 64);
  const auto first = reinterpret_cast<std::uintptr_t>(function.constants.data());
  function.constants_base = function.constants.data() + (64 - first % 64) % 64;
  std::copy(rows.begin(), rows.end(), function.constants_base);
  emit(drafts, targets, graph, function);
}

const Function* Program::kernel(std::string_view name) const {
  const auto found = kernels_.find(std::string(name));
  return found == kernels_.end() ? nullptr : found->second;
}

std::vector<std::string> Program::kernels() const {
  std::vector<std::string> names;
  for (const auto& [name, kernel] : kernels_) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<Program::Variable> Program::variable(std::string_view name) const {
  const auto found = variables_.find(std::string(name));
  if (found == variables_.end()) return {};
  return found->second;
}

}  // namespace sim::ptx
