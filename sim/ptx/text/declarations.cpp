// Parses variables, their sizes and their initial values.
#include "sim/ptx/text/declarations.h"

#include <bit>

namespace sim::ptx {
namespace {

bool space_named(std::string_view word, Space& space) {
  if (word == ".global")
    space = Space::kGlobal;
  else if (word == ".shared")
    space = Space::kShared;
  else if (word == ".local")
    space = Space::kLocal;
  else if (word == ".param")
    space = Space::kParam;
  else if (word == ".const")
    space = Space::kConst;
  else
    return false;
  return true;
}

Initial parse_number(Lexer& lexer) {
  const bool negative = lexer.take("-");
  Literal literal;
  if (lexer.peek().kind != Token::Kind::kNumber || !read_literal(lexer.peek().text, literal)) {
    lexer.refuse("expected a number or a symbol in an initialiser");
  }
  lexer.next();
  Initial value;
  value.bits = negative ? 0 - literal.bits : literal.bits;
  return value;
}

// symbol, symbol+4, generic(symbol)+4
Initial parse_symbol(Lexer& lexer) {
  Initial value;
  value.symbol = lexer.word("a symbol").text;
  if (value.symbol == "generic") {
    lexer.expect("(");
    value.symbol = lexer.word("a symbol").text;
    lexer.expect(")");
  }
  if (lexer.take("+")) value.bits = static_cast<std::uint64_t>(lexer.integer("an offset"));
  return value;
}

// Also 0xFF00(symbol): the bytes of the symbol's address that the mask selects.
Initial parse_initial(Lexer& lexer) {
  if (lexer.peek().kind == Token::Kind::kWord) return parse_symbol(lexer);
  const Initial number = parse_number(lexer);
  if (!lexer.take("(")) return number;
  Initial value = parse_symbol(lexer);
  value.mask = number.bits;
  lexer.expect(")");
  return value;
}

void parse_initials(Lexer& lexer, std::vector<Initial>& values, int depth) {
  if (!lexer.take("{")) {
    values.push_back(parse_initial(lexer));
    return;
  }
  if (depth > 8) lexer.refuse("an initialiser is nested too deeply");
  if (lexer.take("}")) return;
  do parse_initials(lexer, values, depth + 1);
  while (lexer.take(","));
  lexer.expect("}");
}

std::uint32_t parse_alignment(Lexer& lexer) {
  const std::int64_t align = lexer.integer("an alignment");
  if (align < 1 || align > 4096 || !std::has_single_bit(static_cast<std::uint64_t>(align))) {
    lexer.refuse("an alignment is no power of two up to 4096");
  }
  return static_cast<std::uint32_t>(align);
}

// Skips .ptr .global .align 16: what a pointer parameter points to does not matter here.
void skip_pointer(Lexer& lexer) {
  Space ignored{};
  while (space_named(lexer.peek().text, ignored)) lexer.next();
  if (lexer.take(".align")) parse_alignment(lexer);
}

}  // namespace

VariableSource parse_variable(Lexer& lexer, Linkage linkage) {
  VariableSource variable;
  variable.linkage = linkage;
  variable.line = lexer.peek().line;
  if (!space_named(lexer.peek().text, variable.space)) {
    lexer.refuse("expected a state space, found '" + std::string(lexer.peek().text) + "'");
  }
  lexer.next();
  std::uint64_t vector = 1;
  variable.type = Type::kNone;
  for (;;) {
    const std::string_view word = lexer.peek().text;
    if (lexer.take(".align"))
      variable.align = parse_alignment(lexer);
    else if (lexer.take(".ptr"))
      skip_pointer(lexer);
    else if (lexer.take(".v2"))
      vector = 2;
    else if (lexer.take(".v4"))
      vector = 4;
    else if (word.starts_with(".") && type_named(word.substr(1)) != Type::kNone) {
      variable.type = type_named(word.substr(1));
      lexer.next();
    } else {
      break;
    }
  }
  const unsigned element = bytes_of(variable.type);
  if (element == 0) lexer.refuse("a variable has no type that memory can hold");
  variable.name = lexer.word("the name of a variable").text;
  variable.bytes = element * vector;
  variable.align = std::max(variable.align, static_cast<std::uint32_t>(element * vector));
  while (lexer.take("[")) {
    std::int64_t length = 0;
    if (!lexer.peek().is("]")) length = lexer.integer("the length of an array");
    lexer.expect("]");
    if (length < 0 ||
        (length > 0 && variable.bytes > kMostVariableBytes / static_cast<std::uint64_t>(length))) {
      lexer.refuse("'" + std::string(variable.name) + "' is larger than any memory");
    }
    variable.bytes *= static_cast<std::uint64_t>(length);
  }
  if (lexer.take("=")) parse_initials(lexer, variable.initial, 0);
  if (variable.initial.size() * element > variable.bytes) {
    lexer.refuse("'" + std::string(variable.name) + "' has more initial values than room");
  }
  return variable;
}

}  // namespace sim::ptx
