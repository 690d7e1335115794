#pragma once

// Internal to env/: sets of squares written out as one number per square. Everything is forced inline: only
// then are sizes constants and words registers, and left to itself the compiler stops halfway. The fuzz
// preset defines the macro as nothing: with sanitizers Clang takes more than ten minutes for what forcing
// leaves it.

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

#ifndef PAHTUM_FORCE_INLINE
#define PAHTUM_FORCE_INLINE __attribute__((always_inline))
#endif

namespace pahtum {

// The squares of a board in reading order as consecutive bits: bit row · n + column.
[[nodiscard]] PAHTUM_FORCE_INLINE inline std::uint64_t squares_in_order(Bitboard board, int size) noexcept {
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
// 64 bits in every quarter of a vector, to be expanded from there.
[[nodiscard]] PAHTUM_FORCE_INLINE inline __m256i broadcast64(std::uint64_t bits) noexcept {
  return _mm256_set1_epi64x(static_cast<std::int64_t>(bits));
}

// Half 0 or 1 of broadcast bits as 32 bytes of 0 and 1.
template <int kHalf>
PAHTUM_FORCE_INLINE inline void expand32(__m256i bits, std::uint8_t* out) noexcept {
  // Byte k of the vector gets byte k / 8 of its half, then keeps bit k % 8 of it.
  constexpr std::int64_t kFirst = 0x0404040404040404 * kHalf;
  constexpr std::int64_t kByte = 0x0101010101010101;
  const __m256i spread = _mm256_setr_epi64x(kFirst, kFirst + kByte, kFirst + 2 * kByte, kFirst + 3 * kByte);
  const __m256i select = _mm256_set1_epi64x(static_cast<std::int64_t>(0x8040201008040201ull));
  const __m256i bytes = _mm256_and_si256(_mm256_shuffle_epi8(bits, spread), select);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_min_epu8(bytes, _mm256_set1_epi8(1)));
}

// Bits first … first + 7 of 32 as floats.
[[nodiscard]] PAHTUM_FORCE_INLINE inline __m256 floats8(std::uint32_t bits, int first) noexcept {
  // Each bit at the sign's place of its lane, where blendv looks.
  const __m256i places =
      _mm256_sub_epi32(_mm256_set1_epi32(31 - first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  const __m256i signs = _mm256_sllv_epi32(_mm256_set1_epi32(static_cast<int>(bits)), places);
  return _mm256_blendv_ps(_mm256_setzero_ps(), _mm256_set1_ps(1.0f), _mm256_castsi256_ps(signs));
}
#endif

// The bits of several boards one after the other, as they lie in an observation [C, n, n].
class BitStream {
 public:
  PAHTUM_FORCE_INLINE void append(std::uint64_t bits, int count) noexcept {
    const int offset = count_ & 63;
    last_ |= bits << offset;
    if (offset + count >= 64) {
      words_[static_cast<std::size_t>(count_ >> 6)] = last_;
      last_ = offset == 0 ? 0 : bits >> (64 - offset);
    }
    count_ += count;
  }

  // Each writes one 0 or 1 per bit and nothing beyond them.
  PAHTUM_FORCE_INLINE void expand(std::uint8_t* out) noexcept {
    finish();
    int done = 0;
#ifdef __AVX2__
#pragma GCC unroll 8
    for (; done + 64 <= count_; done += 64) {
      const __m256i bits = broadcast64(words_[static_cast<std::size_t>(done >> 6)]);
      expand32<0>(bits, out + done);
      expand32<1>(bits, out + done + 32);
    }
    if (done + 32 <= count_) {
      expand32<0>(broadcast64(words_[static_cast<std::size_t>(done >> 6)]), out + done);
      done += 32;
    }
    if (done + 8 < count_ && count_ >= 32) {
      // The last piece overlaps the one before rather than write past the end.
      expand32<0>(broadcast64(bits_from(count_ - 32)), out + count_ - 32);
      return;
    }
#endif
    // Whole bytes of bits, then what is left of the last.
    for (; done < count_; done += 8) {
      std::memcpy(out + done, &kBytesOfBits[bits_from(done) & 0xFF],
                  static_cast<std::size_t>(std::min(8, count_ - done)));
    }
  }
  PAHTUM_FORCE_INLINE void expand(float* out) noexcept {
    finish();
    int done = 0;
#ifdef __AVX2__
#pragma GCC unroll 32
    for (; done + 8 <= count_; done += 8) {
      _mm256_storeu_ps(out + done, floats8(bits_from(done & ~31), done & 31));
    }
    if (done < count_) _mm256_storeu_ps(out + count_ - 8, floats8(bits_from(count_ - 8), 0));
#else
    for (; done < count_; ++done) out[done] = static_cast<float>(bits_from(done) & 1u);
#endif
  }

  // expand() past the caches, without reading the memory first. `out` on 16 bytes, and a multiple of four
  // bits: both hold for every row of an observation whose array starts on 16 bytes.
  PAHTUM_FORCE_INLINE void stream(float* out) noexcept {
#ifdef __AVX2__
    finish();
    if (reinterpret_cast<std::uintptr_t>(out) % 32 != 0) {
      stream4(0, out);
      stream_from(4, out);
    } else {
      stream_from(0, out);
    }
#else
    expand(out);
#endif
  }

 private:
#ifdef __AVX2__
  // The bits from `first` on; out + first on 32 bytes.
  PAHTUM_FORCE_INLINE void stream_from(int first, float* out) const noexcept {
    int done = first;
#pragma GCC unroll 32
    for (; done + 8 <= count_; done += 8) {
      const int within = (done - first) & 31;
      _mm256_stream_ps(out + done, floats8(bits_from(done - within), within));
    }
    if (done < count_) stream4(done, out);
  }
  PAHTUM_FORCE_INLINE void stream4(int first, float* out) const noexcept {
    _mm_stream_ps(out + first, _mm256_castps256_ps128(floats8(bits_from(first), 0)));
  }
#endif

  PAHTUM_FORCE_INLINE void finish() noexcept {
    const auto word = static_cast<std::size_t>(count_ >> 6);
    words_[word] = last_;
    words_[word + 1] = 0;
  }
  // At least 32 bits from bit number `first`. Reads whole words, as they were written: a load across two
  // fresh stores would wait for both to reach the cache.
  [[nodiscard]] PAHTUM_FORCE_INLINE std::uint32_t bits_from(int first) const noexcept {
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
PAHTUM_FORCE_INLINE inline void with_size(int size, Function&& function) noexcept {
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
PAHTUM_FORCE_INLINE inline void with_planes(const Position& position, int channels, Write&& write) noexcept {
  with_size(position.size, [&](auto size_constant) PAHTUM_FORCE_INLINE {
    constexpr int kSize = decltype(size_constant)::value;
    constexpr int kSquares = kSize * kSize;
    BitStream stream;
    if (channels == kChannels) {
      const Bitboard own = position.own();
      const Bitboard theirs = position.theirs();
      stream.append(squares_in_order(own, kSize), kSquares);
      stream.append(squares_in_order(theirs, kSize), kSquares);
      stream.append(squares_in_order(board_mask(kSize) & ~(own | theirs | position.holes), kSize), kSquares);
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
PAHTUM_FORCE_INLINE inline void write_planes(const Position& position, int channels, T* out) noexcept {
  with_planes(position, channels, [out](BitStream& stream) PAHTUM_FORCE_INLINE { stream.expand(out); });
}

// The same past the caches; see BitStream::stream.
PAHTUM_FORCE_INLINE inline void stream_planes(const Position& position, int channels, float* out) noexcept {
  with_planes(position, channels, [out](BitStream& stream) PAHTUM_FORCE_INLINE { stream.stream(out); });
}

// The legal moves by action: bit a is action a. Only the swap of the largest board, action 64, has no bit.
[[nodiscard]] PAHTUM_FORCE_INLINE inline std::uint64_t actions_in_order(const Position& position) noexcept {
  const std::uint64_t squares = squares_in_order(legal_squares(position), position.size);
  const int swap = position.size * position.size;
  return swap < 64 && may_swap(position) ? squares | std::uint64_t{1} << swap : squares;
}

// `in_order` is actions_in_order(position); `actions` is n², or n² + 1 where the rules have the swap.
PAHTUM_FORCE_INLINE inline void write_mask(const Position& position, std::uint64_t in_order, int actions,
                                           std::uint8_t* out) noexcept {
  with_size(position.size, [&](auto size_constant) PAHTUM_FORCE_INLINE {
    constexpr int kSize = decltype(size_constant)::value;
    constexpr int kSquares = kSize * kSize;
    BitStream stream;
    stream.append(in_order & (~std::uint64_t{0} >> (64 - kSquares)), kSquares);
    stream.expand(out);
    if (actions > kSquares) out[kSquares] = may_swap(position) ? 1 : 0;
  });
}

}  // namespace pahtum
