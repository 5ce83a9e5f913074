// Turns a sheet into the JSON that view/65_sheet.js draws.
#include "harness/report/page/sheet.h"

#include "harness/report/formats/json_values.h"

namespace gridlock::report {
namespace {

std::string_view to_string(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "good";
    case Tone::bad:
      return "bad";
    case Tone::open:
      return "open";
    case Tone::quiet:
      break;
  }
  return "quiet";
}

}  // namespace

nlohmann::ordered_json to_json(const Sheet& sheet) {
  OrderedJson findings = OrderedJson::array();
  for (const SheetFinding& finding : sheet.findings) {
    findings.push_back({{"name", finding.name},
                        {"answer", finding.answer},
                        {"reason", finding.reason},
                        {"culprits", finding.culprits},
                        {"advice", or_null(finding.advice)},
                        {"evidence", or_null(finding.evidence)}});
  }
  OrderedJson rows = OrderedJson::array();
  for (const SheetRow& row : sheet.rows) {
    rows.push_back({{"name", row.name},
                    {"answer", row.answer},
                    {"tone", to_string(row.tone)},
                    {"cells", row.cells}});
  }
  return {{"title", sheet.title},
          {"answer", sheet.answer},
          {"tone", to_string(sheet.tone)},
          {"sentences", sheet.sentences},
          {"caution", or_null(sheet.caution)},
          {"findings", findings},
          {"row_title", sheet.row_title},
          {"columns", sheet.columns},
          {"rows", rows}};
}

}  // namespace gridlock::report
