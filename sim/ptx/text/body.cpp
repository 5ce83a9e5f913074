// Parses a function's registers, labels, statements and operands.
#include "sim/ptx/text/body.h"

#include <algorithm>
#include <charconv>

#include "sim/ptx/text/declarations.h"

namespace sim::ptx {
namespace {

constexpr std::size_t kMostRegisters = 1U << 20;
constexpr int kMostNested = 64;

class Body {
 public:
  Body(Lexer& lexer, ModuleSource& module, FunctionSource& function)
      : lexer_(lexer), module_(module), function_(function) {
    scopes_.emplace_back();
    for (std::uint32_t i = 0; i < function.variables.size(); ++i) {
      scopes_.back().variables[function.variables[i].name] = i;
    }
  }

  void parse() {
    while (!scopes_.empty()) {
      const Token& token = lexer_.peek();
      if (token.kind == Token::Kind::kEnd) {
        lexer_.refuse("the text ends inside function '" + std::string(function_.name) + "'");
      } else if (lexer_.take("{")) {
        if (scopes_.size() > kMostNested) lexer_.refuse("blocks are nested too deeply");
        scopes_.emplace_back();
      } else if (lexer_.take("}")) {
        scopes_.pop_back();
      } else if (lexer_.take(";")) {
      } else if (token.kind == Token::Kind::kWord && token.text.starts_with(".")) {
        parse_directive();
      } else {
        parse_label_or_statement();
      }
    }
  }

 private:
  struct Family {
    std::uint32_t first, count;
  };
  struct Scope {
    std::unordered_map<std::string_view, std::uint32_t> registers;
    std::unordered_map<std::string_view, Family> families;  // %r<20>
    std::unordered_map<std::string_view, std::uint32_t> variables;
  };

  std::uint32_t add_registers(Type type, std::uint64_t count) {
    const std::size_t first = function_.registers.size();
    if (count > kMostRegisters || first + count > kMostRegisters) {
      lexer_.refuse("function '" + std::string(function_.name) + "' has too many registers");
    }
    function_.registers.resize(first + count, type);
    return static_cast<std::uint32_t>(first);
  }

  void parse_registers() {
    const Token type = lexer_.word("a type");
    const Type of = type_named(type.text.substr(1));
    if (of == Type::kNone || (of != Type::kPred && bytes_of(of) < 2)) {
      lexer_.refuse(type.line, "a register has type '" + std::string(type.text) +
                                   "', which registers do not have");
    }
    do {
      const std::string_view name = lexer_.word("the name of a register").text;
      Scope& scope = scopes_.back();
      if (lexer_.take("<")) {
        const std::int64_t count = lexer_.integer("a number of registers");
        if (count < 0) lexer_.refuse("a number of registers is negative");
        scope.families[name] = {add_registers(of, static_cast<std::uint64_t>(count)),
                                static_cast<std::uint32_t>(count)};
        lexer_.expect(">");
      } else {
        scope.registers[name] = add_registers(of, 1);
      }
    } while (lexer_.take(","));
    lexer_.expect(";");
  }

  void parse_variables(Linkage linkage) {
    VariableSource variable = parse_variable(lexer_, linkage);
    lexer_.expect(";");
    scopes_.back().variables[variable.name] =
        static_cast<std::uint32_t>(function_.variables.size());
    function_.variables.push_back(std::move(variable));
  }

  void parse_directive() {
    const std::string_view word = lexer_.peek().text;
    if (lexer_.take(".reg")) {
      parse_registers();
    } else if (lexer_.take(".extern")) {
      parse_variables(Linkage::kExtern);
    } else if (lexer_.take(".loc")) {
      parse_location(lexer_, module_);
    } else if (word == ".local" || word == ".param" || word == ".shared" || word == ".global" ||
               word == ".const") {
      parse_variables(Linkage::kModule);
    } else if (lexer_.take(".pragma")) {
      lexer_.next();
      lexer_.expect(";");
    } else {
      lexer_.refuse("the directive '" + std::string(word) + "' is not known");
    }
  }

  void parse_label_or_statement() {
    Statement statement;
    statement.line = lexer_.peek().line;
    statement.location = static_cast<std::uint32_t>(module_.locations.size() - 1);
    if (lexer_.take("@")) {
      statement.guard_negated = lexer_.take("!");
      const Token guard = lexer_.word("a predicate");
      std::uint32_t id = 0;
      if (!find_register(guard.text, id) || function_.registers[id] != Type::kPred) {
        lexer_.refuse(guard.line, "'" + std::string(guard.text) + "' is no predicate register");
      }
      statement.guard = static_cast<std::int32_t>(id);
    }
    const Token word = lexer_.word("an instruction");
    if (statement.guard < 0 && lexer_.take(":")) return parse_label(word);
    statement.opcode = word.text;
    std::vector<OperandSource> operands;
    while (!lexer_.peek().is(";")) {
      operands.push_back(parse_operand(0));
      if (!lexer_.take(",") && !lexer_.peek().is(";") &&
          operands.back().kind != OperandSource::Kind::kList) {
        lexer_.expect(";");
      }
    }
    lexer_.expect(";");
    statement.first = static_cast<std::uint32_t>(function_.operands.size());
    statement.count = static_cast<std::uint32_t>(operands.size());
    function_.operands.insert(function_.operands.end(), operands.begin(), operands.end());
    function_.statements.push_back(statement);
  }

  void parse_label(const Token& name) {
    if (lexer_.take(".branchtargets")) {
      std::vector<std::string_view>& targets = function_.branch_targets[name.text];
      do targets.push_back(lexer_.word("a label").text);
      while (lexer_.take(","));
      lexer_.expect(";");
    } else if (lexer_.take(".callprototype") || lexer_.take(".calltargets")) {
      // A call through a register is checked when it is made.
      while (!lexer_.peek().is(";") && lexer_.peek().kind != Token::Kind::kEnd) lexer_.next();
      lexer_.expect(";");
    } else if (!function_.labels
                    .emplace(name.text, static_cast<std::uint32_t>(function_.statements.size()))
                    .second) {
      lexer_.refuse(name.line, "the label '" + std::string(name.text) + "' stands twice");
    }
  }

  void parse_parts(OperandSource& operand, std::string_view end, int depth) {
    std::vector<OperandSource> parts;
    if (!lexer_.take(end)) {
      do parts.push_back(parse_operand(depth + 1));
      while (lexer_.take(","));
      lexer_.expect(end);
    }
    keep_parts(operand, parts);
  }

  void keep_parts(OperandSource& operand, const std::vector<OperandSource>& parts) {
    operand.id = static_cast<std::uint32_t>(function_.operands.size());
    operand.count = static_cast<std::uint32_t>(parts.size());
    function_.operands.insert(function_.operands.end(), parts.begin(), parts.end());
  }

  OperandSource parse_operand(int depth) {
    using Kind = OperandSource::Kind;
    if (depth > 3) lexer_.refuse("an operand is nested too deeply");
    OperandSource operand;
    if (lexer_.take("{")) {
      operand.kind = Kind::kVector;
      parse_parts(operand, "}", depth);
    } else if (lexer_.take("(")) {
      operand.kind = Kind::kList;
      parse_parts(operand, ")", depth);
    } else if (lexer_.take("[")) {
      operand = parse_simple();
      operand.memory = true;
      lexer_.expect("]");
    } else {
      operand = parse_simple();
      if (lexer_.take("|")) {
        const std::vector<OperandSource> parts{operand, parse_simple()};
        operand = {};
        operand.kind = Kind::kPair;
        keep_parts(operand, parts);
      }
    }
    return operand;
  }

  OperandSource parse_simple() {
    using Kind = OperandSource::Kind;
    OperandSource operand;
    operand.negated = lexer_.take("!");
    const bool minus = lexer_.take("-");
    const Token token = lexer_.next();
    if (token.kind == Token::Kind::kNumber) {
      Literal literal;
      if (!read_literal(token.text, literal)) {
        lexer_.refuse(token.line, "'" + std::string(token.text) + "' is no number");
      }
      operand.kind = Kind::kLiteral;
      operand.literal = static_cast<std::uint8_t>(literal.kind);
      operand.bits = literal.bits;
      if (minus) {
        operand.bits = literal.kind == Literal::Kind::kInteger ? 0 - literal.bits
                       : literal.kind == Literal::Kind::kFloat ? literal.bits ^ 0x80000000U
                                                               : literal.bits ^ (1ULL << 63);
      }
    } else if (token.kind == Token::Kind::kWord && !minus) {
      operand.name = token.text;
      if (token.text == "_")
        operand.kind = Kind::kNone;
      else if (find_register(token.text, operand.id))
        operand.kind = Kind::kRegister;
      else if (find_variable(token.text, operand.id))
        operand.kind = Kind::kVariable;
      else
        operand.kind = Kind::kName;
      // An integer may begin with a minus.
      if (lexer_.take("+") || lexer_.peek().is("-")) operand.offset = lexer_.integer("an offset");
    } else {
      lexer_.refuse(token.line,
                    token.kind == Token::Kind::kEnd
                        ? "expected an operand, found the end of the text"
                        : "expected an operand, found '" + std::string(token.text) + "'");
    }
    return operand;
  }

  bool find_register(std::string_view name, std::uint32_t& id) const {
    std::size_t stem = name.size();
    while (stem > 0 && name[stem - 1] >= '0' && name[stem - 1] <= '9') --stem;
    std::uint32_t number = 0;
    const bool numbered =
        stem < name.size() &&
        std::from_chars(name.data() + stem, name.data() + name.size(), number).ec == std::errc();
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (!scope->registers.empty()) {
        if (const auto found = scope->registers.find(name); found != scope->registers.end()) {
          id = found->second;
          return true;
        }
      }
      if (!numbered || scope->families.empty()) continue;
      const auto family = scope->families.find(name.substr(0, stem));
      if (family != scope->families.end() && number < family->second.count) {
        id = family->second.first + number;
        return true;
      }
    }
    return false;
  }

  bool find_variable(std::string_view name, std::uint32_t& id) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      const auto found = scope->variables.find(name);
      if (found == scope->variables.end()) continue;
      id = found->second;
      return true;
    }
    return false;
  }

  Lexer& lexer_;
  ModuleSource& module_;
  FunctionSource& function_;
  std::vector<Scope> scopes_;
};

}  // namespace

void parse_body(Lexer& lexer, ModuleSource& module, FunctionSource& function) {
  module.locations.push_back({});  // a function's first lines are not the last one's
  Body(lexer, module, function).parse();
}

void parse_file(Lexer& lexer, ModuleSource& module) {
  const std::int64_t number = lexer.integer("the number of a file");
  const Token name = lexer.next();
  if (name.kind != Token::Kind::kString) lexer.refuse(name.line, "expected the name of a file");
  module.files[static_cast<std::uint32_t>(number)] = std::string(name.text);
  while (lexer.take(",")) lexer.integer("a time or a size");
}

void parse_location(Lexer& lexer, ModuleSource& module) {
  const std::int64_t file = lexer.integer("the number of a file");
  const std::int64_t line = lexer.integer("a line");
  lexer.integer("a column");
  // , function_name label {+offset}, inlined_at file line column
  while (lexer.take(",")) {
    const Token what = lexer.word("function_name or inlined_at");
    if (what.is("function_name")) {
      lexer.word("a label");
      if (lexer.take("+")) lexer.integer("an offset");
    } else {
      for (int i = 0; i < 3; ++i) lexer.integer("a place");
    }
  }
  module.locations.push_back({static_cast<std::uint32_t>(file), static_cast<std::uint32_t>(line)});
}

}  // namespace sim::ptx
