// The page of a results folder, and the files that it is made from. A page that cannot be written
// loses nothing: the verdicts and times are already shown and kept, and the page can be made again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/catalogue/selection.h"
#include "harness/report/page/page.h"

namespace gridlock::session {

constexpr const char* kPage = "index.html";
constexpr const char* kBook = "book.html";

// Writes scenarios.json, which a page needs to show lessons and code. If the disk is full, this
// only prints a warning.
void keep_scenarios(const std::filesystem::path& folder,
                    const std::vector<catalogue::Planned>& plan);

// Everything that the results folder holds about these results. What is damaged, too large or not a
// file is left out, and the page says so.
report::Page page_of(const std::filesystem::path& folder, report::Results results);

// The page of a folder that holds results.json, acceptance.json or soak.json.
//   Errors   UsageError if it holds none of them, or a damaged one
report::Page load_page(const std::filesystem::path& folder);

// Writes `folder`/index.html, or book.html, and returns its path. If it cannot, it says why on
// standard error and returns an empty path.
std::filesystem::path write_page(const std::filesystem::path& folder, const report::Page& page,
                                 bool is_book = false);

// The same for a session that has just ended. Prints where the page is, and opens it if `open`.
void show_page(const std::filesystem::path& folder, const report::Page& page, bool open);

// The same for an acceptance or a soak: the page has its answer and the runs that differed, which
// are kept as odd_runs.json.
void show_answer(const std::filesystem::path& folder, report::Sheet answer,
                 const report::Context& context, const std::vector<report::Run>& odd, bool open);

// Opens it in the user's browser.
//   Blocks   until the opener returns; at once if a browser is already running
void open_page(const std::filesystem::path& page);

}  // namespace gridlock::session
