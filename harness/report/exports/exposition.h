// Prometheus' text format, line by line.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gridlock::report {

using Labels = std::vector<std::pair<std::string, std::string>>;

// The text of a .prom file for the textfile collector of node_exporter. No sample has a timestamp,
// because the collector refuses timestamps.
class Exposition {
 public:
  //   type   gauge, summary
  void begin(const std::string& metric, const char* type, const std::string& help);
  // `suffix`: "_sum" or "_count" of a summary.
  void sample(const Labels& labels, double value, const char* suffix = "");
  const std::string& text() const { return text_; }

 private:
  std::string metric_;
  std::string text_;
};

}  // namespace gridlock::report
