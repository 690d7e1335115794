#pragma once

// Internal to env/: sets of squares written out as one number per square. Everything is forced inline: only
// then are sizes constants and words registers, and left to itself the compiler stops halfway.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "env/bitboard.h"
#include "env/observation.h"

namespace pahtum {

// The squares of a board in reading order as consecutive bits: bit row · n + column.
[[nodiscard, gnu::always_inline]] inline std::uint64_t squares_in_order(Bitboard board, int size) noexcept {
#ifdef __BMI2__
  return _pext_u64(board, board_mask(size));
#else
  std::uint64_t bits = 0;
  for (int row = 0; row < size; ++row) bits |= ((board >> (8 * row)) & 0xFF) << (size * row);
  return bits;
#endif
}

// Byte k of entry b is bit k of b.
inline constexpr std::array<std::uint64_t, 256> kBytesOfBits = [] {
  std::array<std::uint64_t, 256> table{};
  for (std::size_t bits = 0; bits < 256; ++bits) {
    for (int k = 0; k < 8; ++k) table[bits] |= static_cast<std::uint64_t>((bits >> k) & 1u) << (8 * k);
  }
  return table;
}();

#ifdef __AVX2__
// 32 bits as 32 bytes of 0 and 1.
[[gnu::always_inline]] inline void expand32(std::uint32_t bits, std::uint8_t* out) noexcept {
  // Byte k of the vector gets byte k / 8 of `bits`, then keeps bit k % 8 of it.
  const __m256i spread = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
  const __m256i select = _mm256_set1_epi64x(static_cast<std::int64_t>(0x8040201008040201ull));
  const __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(bits)), spread);
  const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(bytes, select), select);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_and_si256(set, _mm256_set1_epi8(1)));
}
#endif

// The low eight of `bits` as floats.
[[gnu::always_inline]] inline void expand8(std::uint32_t bits, float* out) noexcept {
#ifdef __AVX2__
  const __m256i select = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const __m256i set =
      _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(bits)), select), select);
  _mm256_storeu_ps(out, _mm256_and_ps(_mm256_castsi256_ps(set), _mm256_set1_ps(1.0f)));
#else
  for (int k = 0; k < 8; ++k) out[k] = static_cast<float>((bits >> k) & 1u);
#endif
}

#ifdef __AVX2__
// The same past the caches, without reading the memory first; `out` on 32 bytes.
[[gnu::always_inline]] inline void stream8(std::uint32_t bits, float* out) noexcept {
  const __m256i select = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const __m256i set =
      _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(bits)), select), select);
  _mm256_stream_ps(out, _mm256_and_ps(_mm256_castsi256_ps(set), _mm256_set1_ps(1.0f)));
}
// The low four; `out` on 16 bytes.
[[gnu::always_inline]] inline void stream4(std::uint32_t bits, float* out) noexcept {
  const __m128i select = _mm_setr_epi32(1, 2, 4, 8);
  const __m128i set = _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32(static_cast<int>(bits)), select), select);
  _mm_stream_ps(out, _mm_and_ps(_mm_castsi128_ps(set), _mm_set1_ps(1.0f)));
}
#endif

// The bits of several boards one after the other, as they lie in an observation [C, n, n].
class BitStream {
 public:
  [[gnu::always_inline]] void append(std::uint64_t bits, int count) noexcept {
    const int offset = count_ & 63;
    last_ |= bits << offset;
    if (offset + count >= 64) {
      words_[static_cast<std::size_t>(count_ >> 6)] = last_;
      last_ = offset == 0 ? 0 : bits >> (64 - offset);
    }
    count_ += count;
  }

  // Each writes one 0 or 1 per bit and nothing beyond them.
  [[gnu::always_inline]] void expand(std::uint8_t* out) noexcept {
    finish();
#ifdef __AVX2__
    constexpr int kStep = 32;
    if (count_ >= kStep) {
      int done = 0;
#pragma GCC unroll 32
      for (; done + kStep <= count_; done += kStep) expand32(bits_from(done), out + done);
      // The last piece overlaps the one before rather than write past the end.
      if (done < count_) expand32(bits_from(count_ - kStep), out + count_ - kStep);
      return;
    }
#endif
    std::uint8_t* const end = out + count_;
    for (const std::uint64_t* word = words_.data(); out < end; ++word) {
      for (std::uint64_t bits = *word, k = 0; k < 64 && out < end; k += 8, bits >>= 8) {
        // Whole bytes of bits, then what is left of the last.
        const auto width = std::min<std::ptrdiff_t>(8, end - out);
        std::memcpy(out, &kBytesOfBits[bits & 0xFF], static_cast<std::size_t>(width));
        out += width;
      }
    }
  }
  [[gnu::always_inline]] void expand(float* out) noexcept {
    finish();
    constexpr int kStep = 8;
    int done = 0;
#pragma GCC unroll 32
    for (; done + kStep <= count_; done += kStep) expand8(bits_from(done), out + done);
    if (done < count_) expand8(bits_from(count_ - kStep), out + count_ - kStep);
  }

  // expand() past the caches. `out` on 16 bytes, and a multiple of four bits: both hold for every row of an
  // observation whose array starts on 16 bytes.
  [[gnu::always_inline]] void stream(float* out) noexcept {
#ifdef __AVX2__
    finish();
    int done = 0;
    if (reinterpret_cast<std::uintptr_t>(out) % 32 != 0) {
      stream4(bits_from(0), out);
      done = 4;
#pragma GCC unroll 32
      for (; done + 8 <= count_; done += 8) stream8(bits_from(done), out + done);
    } else {
#pragma GCC unroll 32
      for (; done + 8 <= count_; done += 8) stream8(bits_from(done), out + done);
    }
    if (done < count_) stream4(bits_from(done), out + done);
#else
    expand(out);
#endif
  }

 private:
  [[gnu::always_inline]] void finish() noexcept {
    const auto word = static_cast<std::size_t>(count_ >> 6);
    words_[word] = last_;
    words_[word + 1] = 0;
  }
  // At least 32 bits from bit number `first`. Reads whole words, as they were written: a load across two
  // fresh stores would wait for both to reach the cache.
  [[nodiscard, gnu::always_inline]] std::uint32_t bits_from(int first) const noexcept {
    const std::uint64_t* word = words_.data() + (first >> 6);
    const int offset = first & 63;
    if (offset <= 32) return static_cast<std::uint32_t>(word[0] >> offset);
    return static_cast<std::uint32_t>((word[0] >> offset) | (word[1] << (64 - offset)));
  }

  // Room for all channels of the largest board and two words behind. Not cleared: that would cost as much as
  // the writing.
  std::array<std::uint64_t, kPhaseChannels + 2> words_;
  std::uint64_t last_ = 0;  // the word not yet full
  int count_ = 0;
};

// Calls function(std::integral_constant<int, size>): the compiler lays out each size on its own, with every
// shift and count a constant.
template <class Function>
[[gnu::always_inline]] inline void with_size(int size, Function&& function) noexcept {
  static_assert(kMinSize == 3 && kMaxSize == 8);
  switch (size) {
    case 3:
      return function(std::integral_constant<int, 3>());
    case 4:
      return function(std::integral_constant<int, 4>());
    case 5:
      return function(std::integral_constant<int, 5>());
    case 6:
      return function(std::integral_constant<int, 6>());
    case 7:
      return function(std::integral_constant<int, 7>());
    default:
      return function(std::integral_constant<int, 8>());
  }
}

// The first C channels of an observation, handed as a stream of bits to write(BitStream&).
template <class Write>
[[gnu::always_inline]] inline void with_planes(const Position& position, int channels,
                                               Write&& write) noexcept {
  with_size(
      position.size, [&](auto size_constant) __attribute__((always_inline)) {
        constexpr int kSize = decltype(size_constant)::value;
        constexpr int kSquares = kSize * kSize;
        BitStream stream;
        if (channels == kChannels) {
          const Bitboard own = position.own();
          const Bitboard theirs = position.theirs();
          stream.append(squares_in_order(own, kSize), kSquares);
          stream.append(squares_in_order(theirs, kSize), kSquares);
          stream.append(squares_in_order(board_mask(kSize) & ~(own | theirs | position.holes), kSize),
                        kSquares);
          stream.append(squares_in_order(position.holes, kSize), kSquares);
          write(stream);
        } else {
          for (const Bitboard board : observation_boards(position)) {
            stream.append(squares_in_order(board, kSize), kSquares);
          }
          write(stream);
        }
      });
}

template <class T>
[[gnu::always_inline]] inline void write_planes(const Position& position, int channels, T* out) noexcept {
  with_planes(
      position, channels, [out](BitStream & stream) __attribute__((always_inline)) { stream.expand(out); });
}

// The same past the caches; see BitStream::stream.
[[gnu::always_inline]] inline void stream_planes(const Position& position, int channels,
                                                 float* out) noexcept {
  with_planes(
      position, channels, [out](BitStream & stream) __attribute__((always_inline)) { stream.stream(out); });
}

// `actions` is n², or n² + 1 where the rules have the swap.
[[gnu::always_inline]] inline void write_mask(const Position& position, int actions,
                                              std::uint8_t* out) noexcept {
  with_size(
      position.size, [&](auto size_constant) __attribute__((always_inline)) {
        constexpr int kSize = decltype(size_constant)::value;
        constexpr int kSquares = kSize * kSize;
        BitStream stream;
        stream.append(squares_in_order(legal_squares(position), kSize), kSquares);
        stream.expand(out);
        if (actions > kSquares) out[kSquares] = may_swap(position) ? 1 : 0;
      });
}

}  // namespace pahtum
