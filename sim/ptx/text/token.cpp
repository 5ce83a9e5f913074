// Cuts PTX text into tokens, and reads literals.
#include "sim/ptx/text/token.h"

#include <bit>
#include <cctype>
#include <charconv>

namespace sim::ptx {
namespace {

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' ||
         c == '.';
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <class T>
bool whole(std::string_view text, T& value, int base) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Lexer::Lexer(std::string_view text, std::string_view module) : text_(text), module_(module) {
  token_ = scan();
}

void Lexer::refuse(std::uint32_t line, const std::string& why) const {
  throw Refused(std::string(module_) + ":" + std::to_string(line) + ": " + why);
}

void Lexer::refuse(const std::string& why) const { refuse(token_.line, why); }

void Lexer::skip_blank() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') ++line_;
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else if (text_.substr(at_, 2) == "/*") {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) refuse(line_, "a comment does not end");
      for (; at_ < end + 2; ++at_) line_ += text_[at_] == '\n' ? 1 : 0;
    } else {
      return;
    }
  }
}

Token Lexer::scan() {
  skip_blank();
  Token token;
  token.line = line_;
  if (at_ >= text_.size()) return token;
  const std::size_t start = at_;
  const char c = text_[at_];
  if (is_digit(c)) {
    token.kind = Token::Kind::kNumber;
    while (at_ < text_.size() && in_word(text_[at_])) ++at_;
  } else if (in_word(c)) {
    token.kind = Token::Kind::kWord;
    while (at_ < text_.size() && (in_word(text_[at_]) || text_.substr(at_, 2) == "::" ||
                                  text_.substr(at_ - 1, 2) == "::"))
      ++at_;
  } else if (c == '"') {
    token.kind = Token::Kind::kString;
    const std::size_t end = text_.find('"', at_ + 1);
    if (end == std::string_view::npos) refuse(line_, "a string does not end");
    at_ = end + 1;
    token.text = text_.substr(start + 1, end - start - 1);
    return token;
  } else if (std::string_view("@!,;:()[]{}<>|+-=").find(c) != std::string_view::npos) {
    token.kind = Token::Kind::kMark;
    ++at_;
  } else {
    refuse(line_, "a character that PTX does not know (code " +
                      std::to_string(static_cast<unsigned char>(c)) + ")");
  }
  token.text = text_.substr(start, at_ - start);
  return token;
}

Token Lexer::next() {
  const Token token = token_;
  token_ = scan();
  return token;
}

bool Lexer::take(std::string_view text) {
  if (!token_.is(text)) return false;
  token_ = scan();
  return true;
}

void Lexer::expect(std::string_view text) {
  if (take(text)) return;
  refuse("expected '" + std::string(text) + "', found " +
         (token_.kind == Token::Kind::kEnd ? "the end of the text"
                                           : "'" + std::string(token_.text) + "'"));
}

Token Lexer::word(const char* what) {
  if (token_.kind != Token::Kind::kWord) {
    refuse(std::string("expected ") + what + ", found " +
           (token_.kind == Token::Kind::kEnd ? "the end of the text"
                                             : "'" + std::string(token_.text) + "'"));
  }
  return next();
}

std::int64_t Lexer::integer(const char* what) {
  const bool negative = take("-");
  Literal literal;
  if (token_.kind != Token::Kind::kNumber || !read_literal(token_.text, literal) ||
      literal.kind != Literal::Kind::kInteger) {
    refuse(std::string("expected ") + what);
  }
  next();
  return static_cast<std::int64_t>(negative ? 0 - literal.bits : literal.bits);
}

void Lexer::skip_block() {
  for (int depth = 1; depth > 0;) {
    const Token token = next();
    if (token.kind == Token::Kind::kEnd) refuse("a block does not end");
    if (token.is("{")) ++depth;
    if (token.is("}")) --depth;
  }
}

bool read_literal(std::string_view text, Literal& literal) {
  literal = {};
  const auto prefix = [&](const char* lower) {
    return text.size() > 2 && text[0] == '0' && std::tolower(text[1]) == lower[1];
  };
  if (prefix("0f") && text.size() == 10) {
    literal.kind = Literal::Kind::kFloat;
    return whole(text.substr(2), literal.bits, 16);
  }
  if (prefix("0d") && text.size() == 18) {
    literal.kind = Literal::Kind::kDouble;
    return whole(text.substr(2), literal.bits, 16);
  }
  if (text.find('.') != std::string_view::npos) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return false;
    literal.kind = Literal::Kind::kDouble;
    literal.bits = std::bit_cast<std::uint64_t>(value);
    return true;
  }
  if (!text.empty() && (text.back() == 'U' || text.back() == 'u')) text.remove_suffix(1);
  if (prefix("0x")) return whole(text.substr(2), literal.bits, 16);
  if (prefix("0b")) return whole(text.substr(2), literal.bits, 2);
  if (text.size() > 1 && text[0] == '0') return whole(text.substr(1), literal.bits, 8);
  return whole(text, literal.bits, 10);
}

}  // namespace sim::ptx
