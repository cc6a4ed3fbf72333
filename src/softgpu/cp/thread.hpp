// Threads of the software GPU. They live inside someone else's process: they take no signals, they wake up
// when asked to (timer slack 1 ns), and they are harmless when the process exits around them.
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace softgpu::cp {

/// Starts a thread that has every signal blocked from its first instruction.
/// @param name at most 15 characters are shown
/// Throws std::system_error when the process may have no more threads.
std::thread start_thread(std::string name, std::function<void()> body);

/// One spin-wait step of the CPU.
void cpu_pause();

}  // namespace softgpu::cp
