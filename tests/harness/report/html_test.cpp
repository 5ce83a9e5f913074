// Programs' names in a page.
#include "harness/report/html.h"

#include <gtest/gtest.h>

namespace gridlock::report {
namespace {

TEST(Html, MarkupIsText) {
  EXPECT_EQ(escape_html("<script>alert(\"a\" & 'b')</script>"),
            "&lt;script&gt;alert(&quot;a&quot; &amp; &#39;b&#39;)&lt;/script&gt;");
}

TEST(Html, LettersStay) { EXPECT_EQ(escape_html("größe\t→ 𝄞\n"), "größe\t→ 𝄞\n"); }

TEST(Html, ControlCharactersAndMarksOfDirectionAreShown) {
  EXPECT_EQ(escape_html("a\x1b[2Jb\x7f"), "a?[2Jb?");
  EXPECT_EQ(escape_html("safe\u202Egnp.exe"), "safe[U+202E]gnp.exe");
  EXPECT_EQ(escape_html("\u2066x\u200f"), "[U+2066]x[U+200F]");
}

TEST(Html, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(escape_html("\xff\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(escape_html("cut \xe2\x82"), "cut \xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(escape_html("\xed\xa0\x80").find('\xed'), std::string::npos);  // half of a pair
}

}  // namespace
}  // namespace gridlock::report
