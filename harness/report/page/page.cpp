// Puts data, style and script into one file.
#include "harness/report/page/page.h"

#include <string_view>

#include "harness/report/page/page_data.h"
#include "harness/report/page/view.h"

namespace gridlock::report {
namespace {

std::string html(const Page& page, bool is_book) {
  const std::string data =
      inside_script(page_data(page, is_book)
                        .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  const std::string title = is_book ? "Gridlock: why distributed training hangs" : "Gridlock";
  std::string text;
  text.reserve(data.size() + kStyle.size() + kScript.size() + 4096);
  // Even if data ever became markup, this policy keeps it from loading anything.
  text +=
      "<!doctype html>\n<!-- gridlock.page/1 -->\n<html lang=\"en\">\n<head>\n<meta "
      "charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n";
  text += "<title>" + title + "</title>\n<style>\n";
  text += kStyle;
  text +=
      "</style>\n</head>\n<body>\n<noscript>This page is drawn by its script. report.md beside "
      "it says the same as text.</noscript>\n<div id=\"page\"></div>\n";
  text += "<script type=\"application/json\" id=\"data\">";
  text += data;
  text += "</script>\n<script>\n";
  text += kScript;
  text += "</script>\n</body>\n</html>\n";
  return text;
}

}  // namespace

std::string inside_script(std::string_view json) {
  std::string safe;
  safe.reserve(json.size() + json.size() / 64);
  for (const char letter : json) {
    switch (letter) {
      case '<':
        safe += "\\u003c";
        break;
      case '>':
        safe += "\\u003e";
        break;
      case '&':
        safe += "\\u0026";
        break;
      default:
        safe += letter;
    }
  }
  return safe;
}

std::string to_html(const Page& page) { return html(page, false); }

std::string to_book(const Page& page) { return html(page, true); }

}  // namespace gridlock::report
