// The page of a results folder, and what it is made from. A page that cannot be written loses
// nothing: verdicts, times and exit code are out before, and it can be made again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/catalogue/selection.h"
#include "harness/report/page/page.h"

namespace gridlock::session {

constexpr const char* kPage = "index.html";
constexpr const char* kBook = "book.html";

// Keeps scenarios.json, which a page needs to show lessons and code. A full disk loses it.
void keep_scenarios(const std::filesystem::path& folder,
                    const std::vector<catalogue::Planned>& plan);

// All that the results folder holds of these results. What is damaged, too large or not a file is
// left out, and the page says so.
report::Page page_of(const std::filesystem::path& folder, report::Results results);

// The page of a folder that holds results.json, acceptance.json or soak.json.
//   Errors   UsageError when it holds none of them, or what it holds is damaged
report::Page load_page(const std::filesystem::path& folder);

// Writes `folder`/index.html, or book.html. Says on standard error why not, where it cannot.
// Returns its path; empty: it was not written.
std::filesystem::path write_page(const std::filesystem::path& folder, const report::Page& page,
                                 bool is_book = false);

// The same for a session that has just ended: prints where the page is, and opens it.
void show_page(const std::filesystem::path& folder, const report::Page& page, bool open);

// The same for an acceptance or a soak: its text, and those of its runs that differed, which are
// kept as odd_runs.json.
void show_answer(const std::filesystem::path& folder, std::string answer,
                 const report::Context& context, const std::vector<report::Run>& odd, bool open);

// Opens it in the user's browser.
//   Blocks   until the opener returns, which is at once where a browser is running already
void open_page(const std::filesystem::path& page);

}  // namespace gridlock::session
