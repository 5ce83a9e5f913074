// Cuts PTX text into tokens.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sim::ptx {

// The program cannot be loaded or launched. One sentence names the error, the module and the line.
class Refused : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Token {
  enum class Kind : std::uint8_t { kEnd, kWord, kNumber, kString, kMark };
  Kind kind = Kind::kEnd;
  std::string_view text;  // into the module's text; a mark is one character
  std::uint32_t line = 1;

  bool is(std::string_view what) const { return text == what && kind != Kind::kString; }
};

// Words are names, directives and opcodes with their modifiers ("ld.volatile.global.v2.u64").
// Comments are skipped. Throws Refused on a character that PTX does not know.
class Lexer {
 public:
  Lexer(std::string_view text, std::string_view module);

  const Token& peek() const { return token_; }
  Token next();
  bool take(std::string_view text);    // and says whether it was there
  void expect(std::string_view text);  // or throws
  Token word(const char* what);        // or throws, naming what was expected
  std::int64_t integer(const char* what);
  void skip_block();  // from after '{' to after its '}'
  [[noreturn]] void refuse(const std::string& why) const;
  [[noreturn]] void refuse(std::uint32_t line, const std::string& why) const;

 private:
  void skip_blank();
  Token scan();

  std::string_view text_;
  std::string_view module_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  Token token_;
};

// A literal: integers in any base, 0f… and 0d… bit patterns, decimal fractions.
struct Literal {
  enum class Kind : std::uint8_t { kInteger, kFloat, kDouble };
  Kind kind = Kind::kInteger;
  std::uint64_t bits = 0;
};

// False if `text` is not a literal.
bool read_literal(std::string_view text, Literal& literal);

}  // namespace sim::ptx
