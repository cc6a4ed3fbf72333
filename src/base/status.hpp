// Status and Result<T>: how functions of this project report failure. Nothing throws across a module
// boundary for an expected failure; a Status carries a code to branch on and a sentence for a person.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace kreplay {

/// What went wrong, coarse enough to decide on. The sentence in Status says the rest.
enum class Error {
  none,
  invalid_argument,  ///< the caller (or the environment) gave something we do not accept
  not_found,
  unsupported,    ///< known, but this build cannot do it
  out_of_memory,  ///< host or device memory ran out
  device_copy,    ///< a copy to, from or on the device failed
  timeout,        ///< a bounded wait ran into its bound
  budget,         ///< would exceed a configured limit; nothing was taken
  runtime,        ///< an HSA call failed
  io,             ///< a file or descriptor operation failed
  internal,       ///< our own bug
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == Error::none; }
  explicit operator bool() const { return ok(); }
  Error code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  Error code_ = Error::none;
  std::string message_;
};

/// Either a value or a Status that is not ok.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}                                             // NOLINT
  Result(Status status) : state_(std::move(status)) { assert(!std::get<1>(state_).ok()); }  // NOLINT
  Result(Error code, std::string message) : state_(Status(code, std::move(message))) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() { return std::get<0>(state_); }
  const T& value() const { return std::get<0>(state_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  Status status() const { return ok() ? Status() : std::get<1>(state_); }
  Error error() const { return ok() ? Error::none : std::get<1>(state_).code(); }

 private:
  std::variant<T, Status> state_;
};

}  // namespace kreplay
