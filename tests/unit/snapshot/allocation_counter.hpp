// Counts the calls of operator new made by this thread while a scope is open.
#pragma once

#include <cstdint>

class AllocationCounter {
 public:
  AllocationCounter();
  ~AllocationCounter();
  AllocationCounter(const AllocationCounter&) = delete;
  AllocationCounter& operator=(const AllocationCounter&) = delete;
  uint64_t count() const;
};
