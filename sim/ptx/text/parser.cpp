// Parses a module's top level: its version, variables and functions.
#include "sim/ptx/text/body.h"
#include "sim/ptx/text/declarations.h"

namespace sim::ptx {
namespace {

void parse_parameters(Lexer& lexer, FunctionSource& function, std::uint32_t& count) {
  lexer.expect("(");
  if (lexer.take(")")) return;
  do {
    if (lexer.peek().is(".reg")) {
      lexer.refuse("function '" + std::string(function.name) +
                   "' passes arguments in registers, which is not covered");
    }
    function.variables.push_back(parse_variable(lexer, Linkage::kModule));
    ++count;
  } while (lexer.take(","));
  lexer.expect(")");
}

// Skips limits that the launch may ignore: .maxntid 256, 1, 1 and the like.
void skip_limits(Lexer& lexer) {
  while (lexer.peek().text.starts_with(".")) {
    const std::string_view word = lexer.peek().text;
    if (word != ".maxntid" && word != ".reqntid" && word != ".minnctapersm" &&
        word != ".maxnctapersm" && word != ".maxnreg" && word != ".noreturn" && word != ".pragma") {
      lexer.refuse("the directive '" + std::string(word) + "' is not known");
    }
    lexer.next();
    if (lexer.peek().kind == Token::Kind::kString) lexer.next();
    while (lexer.peek().kind == Token::Kind::kNumber) {
      lexer.next();
      lexer.take(",");
    }
    if (word == ".pragma") lexer.expect(";");
  }
}

void parse_function(Lexer& lexer, ModuleSource& module, Linkage linkage, bool entry) {
  FunctionSource function;
  function.linkage = linkage;
  function.entry = entry;
  function.line = lexer.peek().line;
  lexer.take(".noreturn");
  if (lexer.peek().is("(")) parse_parameters(lexer, function, function.returns);
  function.name = lexer.word("the name of a function").text;
  if (lexer.peek().is("(")) parse_parameters(lexer, function, function.parameters);
  skip_limits(lexer);
  if (!lexer.take(";")) {
    lexer.expect("{");
    function.defined = true;
    parse_body(lexer, module, function);
  }
  module.functions.push_back(std::move(function));
}

// .section .debug_info { … }
void skip_section(Lexer& lexer) {
  lexer.word("the name of a section");
  lexer.expect("{");
  lexer.skip_block();
}

void parse_declaration(Lexer& lexer, ModuleSource& module) {
  Linkage linkage = Linkage::kModule;
  for (;;) {
    if (lexer.take(".visible") || lexer.take(".common"))
      linkage = Linkage::kVisible;
    else if (lexer.take(".weak"))
      linkage = Linkage::kWeak;
    else if (lexer.take(".extern"))
      linkage = Linkage::kExtern;
    else
      break;
  }
  if (lexer.take(".func")) return parse_function(lexer, module, linkage, false);
  if (lexer.take(".entry")) return parse_function(lexer, module, linkage, true);
  VariableSource variable = parse_variable(lexer, linkage);
  if (variable.space == Space::kLocal || variable.space == Space::kParam) {
    lexer.refuse("'" + std::string(variable.name) +
                 "' lies outside every function in a space that "
                 "functions alone have");
  }
  lexer.expect(";");
  module.variables.push_back(std::move(variable));
}

}  // namespace

ModuleSource parse(std::string_view name, std::string_view text) {
  Lexer lexer(text, name);
  ModuleSource module;
  module.name = name;
  if (!lexer.take(".version")) lexer.refuse("this is no PTX: it does not begin with .version");
  if (lexer.peek().kind != Token::Kind::kNumber) lexer.refuse("expected PTX's version");
  lexer.next();
  while (lexer.peek().kind != Token::Kind::kEnd) {
    if (lexer.take(".target")) {
      do lexer.word("a target");
      while (lexer.take(","));
    } else if (lexer.take(".address_size")) {
      if (lexer.integer("64") != 64) lexer.refuse("addresses of 64 bits alone are covered");
    } else if (lexer.take(".file")) {
      parse_file(lexer, module);
    } else if (lexer.take(".loc")) {
      parse_location(lexer, module);
    } else if (lexer.take(".section")) {
      skip_section(lexer);
    } else if (lexer.take(".pragma")) {
      lexer.next();
      lexer.expect(";");
    } else {
      parse_declaration(lexer, module);
    }
  }
  return module;
}

}  // namespace sim::ptx
