#pragma once

// For clang-tidy and the sanitizer build by clang; no other build includes this. Clang 14 refuses LibTorch
// with libstdc++ 12 in C++20: it instantiates the constexpr members of std::vector<c10::IValue> while IValue
// is still incomplete. Here std::vector is read with plain members instead, as it was before C++20.
#include <memory>
#include <string>

#ifdef __GLIBCXX__
#pragma push_macro("_GLIBCXX20_CONSTEXPR")
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR
// <memory> has declared this one constexpr already, and both declarations must agree.
#define __fill_a1 __fill_a1_of_bits
#include <vector>
#undef __fill_a1
#pragma pop_macro("_GLIBCXX20_CONSTEXPR")
#endif
