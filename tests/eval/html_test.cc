#include "eval/html.h"

#include <gtest/gtest.h>

namespace pahtum {
namespace {

TEST(Html, EscapesEverythingThatMarkupMeansSomethingBy) {
  EXPECT_EQ(escape_html("a<b>&\"c\"'d' 7×7"), "a&lt;b&gt;&amp;&quot;c&quot;&#39;d&#39; 7×7");
  EXPECT_EQ(escape_html(""), "");
}

}  // namespace
}  // namespace pahtum
