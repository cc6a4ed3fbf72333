// Read-modify-write operations of memory and LDS, as pure functions of the old value and the operands, and as
// host atomics on the same bytes the CPU uses. Source: "Vega" ISA manual, buffer and DS atomics.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace softgpu::gfx9 {

enum class AtomicOp : uint8_t {
  swap,
  cmpswap,
  add,
  sub,
  rsub,
  smin,
  umin,
  smax,
  umax,
  and_,
  or_,
  xor_,
  inc,
  dec,
  mskor,
  wrap,
  fcmpswap,
  fadd,
  fmin,
  fmax,
  pk_add_f16,
};

constexpr bool is_float(AtomicOp op) {
  return op == AtomicOp::fcmpswap || op == AtomicOp::fadd || op == AtomicOp::fmin || op == AtomicOp::fmax;
}

/// The new value. T is uint32_t or uint64_t.
/// @param data   the operand (mskor: bits to clear; wrap: limit)
/// @param second cmpswap: the value to compare with; mskor: bits to set; wrap: what to add
template <AtomicOp kOp, typename T>
constexpr T atomic_value(T old, T data, [[maybe_unused]] T second) {
  using S = std::make_signed_t<T>;
  using F = std::conditional_t<sizeof(T) == 8, double, float>;
  const auto is_nan = [](T v) { return std::bit_cast<F>(v) != std::bit_cast<F>(v); };
  switch (kOp) {
    case AtomicOp::swap:
      return data;
    case AtomicOp::cmpswap:
      return old == second ? data : old;
    case AtomicOp::add:
      return old + data;
    case AtomicOp::sub:
      return old - data;
    case AtomicOp::rsub:
      return data - old;
    case AtomicOp::smin:
      return static_cast<S>(data) < static_cast<S>(old) ? data : old;
    case AtomicOp::umin:
      return data < old ? data : old;
    case AtomicOp::smax:
      return static_cast<S>(data) > static_cast<S>(old) ? data : old;
    case AtomicOp::umax:
      return data > old ? data : old;
    case AtomicOp::and_:
      return old & data;
    case AtomicOp::or_:
      return old | data;
    case AtomicOp::xor_:
      return old ^ data;
    case AtomicOp::inc:
      return old >= data ? 0 : old + 1;
    case AtomicOp::dec:
      return old == 0 || old > data ? data : old - 1;
    case AtomicOp::mskor:
      return (old & ~data) | second;
    case AtomicOp::wrap:
      return old >= data ? old - data : old + second;
    case AtomicOp::fcmpswap:
      return std::bit_cast<F>(old) == std::bit_cast<F>(second) ? data : old;
    case AtomicOp::fadd:
      return std::bit_cast<T>(std::bit_cast<F>(old) + std::bit_cast<F>(data));
    // A NaN gives way to a number.
    case AtomicOp::fmin:
      return is_nan(old) || std::bit_cast<F>(data) < std::bit_cast<F>(old) ? data : old;
    case AtomicOp::fmax:
      return is_nan(old) || std::bit_cast<F>(data) > std::bit_cast<F>(old) ? data : old;
    case AtomicOp::pk_add_f16:
      break;
  }
  return old;
}
static_assert(atomic_value<AtomicOp::inc, uint32_t>(5, 5, 0) == 0);
static_assert(atomic_value<AtomicOp::dec, uint32_t>(0, 7, 0) == 7);

/// Atomic on host memory, sequentially consistent. @return the old value
/// @param p aligned to the size of the operand
using HostAtomicFn = uint64_t (*)(std::byte* p, uint64_t data, uint64_t second);
/// The value function with its operands widened to 64 bits.
using AtomicValueFn = uint64_t (*)(uint64_t old, uint64_t data, uint64_t second);

template <AtomicOp kOp, typename T>
uint64_t host_atomic(std::byte* p, uint64_t data64, uint64_t second64) {
  T* place = reinterpret_cast<T*>(p);
  const T data = static_cast<T>(data64), second = static_cast<T>(second64);
  switch (kOp) {
    case AtomicOp::swap:
      return __atomic_exchange_n(place, data, __ATOMIC_SEQ_CST);
    case AtomicOp::add:
      return __atomic_fetch_add(place, data, __ATOMIC_SEQ_CST);
    case AtomicOp::sub:
      return __atomic_fetch_sub(place, data, __ATOMIC_SEQ_CST);
    case AtomicOp::and_:
      return __atomic_fetch_and(place, data, __ATOMIC_SEQ_CST);
    case AtomicOp::or_:
      return __atomic_fetch_or(place, data, __ATOMIC_SEQ_CST);
    case AtomicOp::xor_:
      return __atomic_fetch_xor(place, data, __ATOMIC_SEQ_CST);
    default:
      break;
  }
  T old = __atomic_load_n(place, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(place, &old, atomic_value<kOp, T>(old, data, second), false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return old;
}

template <AtomicOp kOp, typename T>
uint64_t widened_value(uint64_t old, uint64_t data, uint64_t second) {
  return atomic_value<kOp, T>(static_cast<T>(old), static_cast<T>(data), static_cast<T>(second));
}

}  // namespace softgpu::gfx9
