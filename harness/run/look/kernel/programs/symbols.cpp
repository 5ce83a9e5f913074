// elfutils' libdwfl, one session per module file, kept for the agent's life.
#include "harness/run/look/kernel/programs/symbols.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <string_view>

#include "harness/run/look/kernel/programs/function_name.h"

namespace gridlock::run {
struct EndSession {
  void operator()(Dwfl* session) const { dwfl_end(session); }
};

// A module's file, opened for symbols.
struct Module {
  std::unique_ptr<Dwfl, EndSession> session;
  Dwfl_Module* module = nullptr;
  Dwarf_Addr bias = 0;  // address in the session minus address in the file
};

namespace {

char* no_debuginfo_path = nullptr;

Module open_module(const std::string& path) {
  static const Dwfl_Callbacks kOffline{.find_elf = dwfl_build_id_find_elf,
                                       .find_debuginfo = dwfl_standard_find_debuginfo,
                                       .section_address = dwfl_offline_section_address,
                                       .debuginfo_path = &no_debuginfo_path};
  Module opened{.session = std::unique_ptr<Dwfl, EndSession>(dwfl_begin(&kOffline))};
  if (!opened.session) return opened;
  dwfl_report_begin(opened.session.get());
  opened.module = dwfl_report_offline(opened.session.get(), path.c_str(), path.c_str(), -1);
  dwfl_report_end(opened.session.get(), nullptr, nullptr);
  if (opened.module != nullptr) dwfl_module_getelf(opened.module, &opened.bias);
  return opened;
}

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return function_name(status == 0 ? text.get() : name);
}

// A lambda's body is called operator(), so take the function around it.
bool has_name(Dwarf_Die* scope) {
  const char* name = dwarf_diename(scope);
  return name != nullptr && std::string_view(name) != "operator()";
}

// The name of the innermost function, inlined or not, that contains `address`.
std::string function_at(Dwfl_Module* module, Dwarf_Addr address) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = dwfl_module_addrdie(module, address, &bias);
  if (unit != nullptr) {
    Dwarf_Die* scopes = nullptr;
    const int count = dwarf_getscopes(unit, address - bias, &scopes);
    const std::unique_ptr<Dwarf_Die, decltype(&std::free)> owner(scopes, &std::free);
    for (int i = 0; i < count; ++i) {
      const int tag = dwarf_tag(&scopes[i]);
      const bool is_function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
      if (is_function && has_name(&scopes[i])) return function_name(dwarf_diename(&scopes[i]));
    }
  }
  const char* symbol = dwfl_module_addrname(module, address);
  return symbol == nullptr ? "" : demangled(symbol);
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

struct Symbols::Modules {
  std::map<std::string, Module> opened;
  std::map<std::pair<std::string, std::uint64_t>, Place> places;
};

Symbols::Symbols() : modules_(std::make_unique<Modules>()) {}
Symbols::~Symbols() = default;

const Symbols::Place& Symbols::place(const detect::CodeLocation& location) {
  static const Place kUnknown;
  if (location.offset == 0 || location.module.empty()) return kUnknown;
  const auto [cached, is_new] = modules_->places.try_emplace({location.module, location.offset});
  if (!is_new) return cached->second;
  auto found = modules_->opened.find(location.module);
  if (found == modules_->opened.end()) {
    found = modules_->opened.emplace(location.module, open_module(location.module)).first;
  }
  const Module& module = found->second;
  Place& place = cached->second;
  if (module.module == nullptr) return place;
  // A return address comes after the call; one byte back is inside it.
  const Dwarf_Addr address = location.offset + module.bias - 1;
  const std::string function = function_at(module.module, address);
  if (function.empty()) return place;
  int line = 0;
  const char* file = nullptr;
  if (Dwfl_Line* found_line = dwfl_module_getsrc(module.module, address)) {
    file = dwfl_lineinfo(found_line, nullptr, &line, nullptr, nullptr, nullptr);
  }
  place.name = file == nullptr ? fmt::format("{} ({})", function, file_name(location.module))
                               : fmt::format("{} ({}:{})", function, file_name(file), line);
  if (file != nullptr) place.source = fmt::format("{}:{}", file, line);
  return place;
}

std::string Symbols::name(const detect::CodeLocation& location) { return place(location).name; }

std::string Symbols::name(const std::vector<detect::CodeLocation>& callers) {
  for (const detect::CodeLocation& caller : callers) {
    std::string text = name(caller);
    if (!text.empty()) return text;
  }
  return {};
}

std::string Symbols::source(const std::vector<detect::CodeLocation>& callers) {
  for (const detect::CodeLocation& caller : callers) {
    const Place& found = place(caller);
    if (!found.name.empty()) return found.source;
  }
  return {};
}

}  // namespace gridlock::run
