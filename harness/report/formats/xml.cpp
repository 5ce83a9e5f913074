// Sets attributes, adds reasons, and writes the text.
#include "harness/report/formats/xml.h"

#include <sstream>

#include "harness/base/text.h"

namespace gridlock::report {

void set(pugi::xml_node& node, const char* attribute, const std::string& text) {
  node.append_attribute(attribute) = printable(text).c_str();
}

pugi::xml_node add_reason(pugi::xml_node& test, const char* kind, const std::string& message,
                          const std::string& body) {
  pugi::xml_node child = test.append_child(kind);
  set(child, "message", message);
  if (!body.empty()) child.text() = printable(body).c_str();
  return child;
}

std::string text_of(const pugi::xml_document& document) {
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

}  // namespace gridlock::report
