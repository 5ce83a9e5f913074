// Variants in the order in which any session first ran them.
#include "harness/report/compare/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/report/figures/groups.h"
#include "harness/report/formats/text.h"

namespace gridlock::report {
namespace {

std::string flag(std::optional<bool> value) { return !value ? "" : *value ? "yes" : "no"; }

std::vector<Row> contexts_of(const std::vector<Results>& sessions) {
  std::vector<Row> rows;
  const auto add = [&](const char* name, const auto& text_of) {
    Row row{.name = name, .cells = {}, .differs = false};
    for (const Results& session : sessions) row.cells.push_back(text_of(session.context));
    rows.push_back(std::move(row));
  };
  add("date", [](const Context& of) { return of.date; });
  add("host", [](const Context& of) { return of.host; });
  add("back end", [](const Context& of) { return of.backend; });
  add("GPU", [](const Context& of) { return of.gpu; });
  add("driver", [](const Context& of) { return of.driver; });
  add("CUDA", [](const Context& of) { return of.cuda; });
  add("NCCL", [](const Context& of) { return of.nccl; });
  add("transport", [](const Context& of) { return of.transport; });
  add("GPUs shared", [](const Context& of) { return flag(of.shared_gpu); });
  add("environment",
      [](const Context& of) { return fmt::format("{}", fmt::join(of.environment, " ")); });
  add("MPI", [](const Context& of) { return of.mpi; });
  add("compiler", [](const Context& of) { return of.compiler; });
  add("commit", [](const Context& of) { return of.commit; });
  add("local changes", [](const Context& of) { return flag(of.dirty); });
  add("processor", [](const Context& of) { return of.cpu; });
  add("agents", [](const Context& of) {
    return of.agents.empty() ? std::string("1") : std::to_string(of.agents.size());
  });
  std::erase_if(rows, [](const Row& row) {
    return std::all_of(row.cells.begin(), row.cells.end(),
                       [](const std::string& cell) { return cell.empty(); });
  });
  return rows;
}

std::string time_of(const Group& group) {
  const std::optional<Spread> spread = spread_of(group, &Run::time_to_detect_ms);
  return spread ? ", " + milliseconds(spread->median) : "";
}

void mark(std::vector<Row>& rows) {
  for (Row& row : rows) {
    row.differs = std::any_of(row.cells.begin(), row.cells.end(),
                              [&](const std::string& cell) { return cell != row.cells.front(); });
  }
}

std::vector<Row> verdicts_of(const std::vector<Results>& sessions, Cells cells) {
  std::vector<Row> rows;
  std::vector<std::vector<std::string>> times;  // like the rows' cells
  std::map<std::string, std::size_t> at;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    for (const Group& group : groups_of(sessions[i].runs)) {
      const std::string name =
          fmt::format("{} ({} {})", group.name, group.ranks, group.ranks == 1 ? "rank" : "ranks");
      const auto [known, is_new] = at.try_emplace(name, rows.size());
      if (is_new) {
        rows.push_back(
            {.name = name, .cells = std::vector<std::string>(sessions.size()), .differs = false});
        times.emplace_back(sessions.size());
      }
      const bool is_wrong = judged(group) > as_declared(group);
      rows[known->second].cells[i] = verdicts_text(group) + (is_wrong ? ", not as declared" : "");
      if (cells == Cells::verdicts_and_times) times[known->second][i] = time_of(group);
    }
  }
  mark(rows);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t i = 0; i < sessions.size(); ++i) rows[row].cells[i] += times[row][i];
  }
  return rows;
}

}  // namespace

SideBySide side_by_side(const std::vector<Results>& sessions, const std::vector<std::string>& names,
                        Cells cells) {
  SideBySide all{.sessions = names,
                 .contexts = contexts_of(sessions),
                 .verdicts = verdicts_of(sessions, cells)};
  mark(all.contexts);
  return all;
}

}  // namespace gridlock::report
