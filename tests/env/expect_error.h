#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "env/base/error.h"

namespace pahtum::test {

// Expects that `action` throws an Error of kind `fault` whose text holds every one of `parts`.
template <class Action>
void expect_error(Fault fault, std::initializer_list<std::string_view> parts, Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.fault(), fault) << text;
    for (const std::string_view part : parts) {
      EXPECT_NE(text.find(part), std::string::npos) << "\"" << part << "\" is missing in: " << text;
    }
    return;
  }
  ADD_FAILURE() << "no error was thrown";
}

}  // namespace pahtum::test
