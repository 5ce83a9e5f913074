// What a rank of a scenario reports at its end.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace gridlock::run {

struct RankReport {
  enum class Status : std::uint8_t { none, completed, failed, skipped };
  enum class Numbers : std::uint8_t { unchecked, right, wrong };
  Status status = Status::none;  // none: it wrote nothing
  std::string reason;
  bool port_taken = false;  // another program had the port where the ranks should meet
  Numbers numbers = Numbers::unchecked;
  std::string numbers_detail;
  std::map<std::string, double> figures;
  std::string damage;  // why the text is no report; "" if it is one, or is empty
};

RankReport parse_report(const std::string& text);

}  // namespace gridlock::run
