// One host thread of a random program: its buffers, its streams on every GPU, and the steps it takes. All
// choices come from its own seed, never from what other threads or the runtime do, so every run of a seed
// submits the same work.
#pragma once

#include <atomic>
#include <memory>

#include "stress/program/buffers.hpp"

namespace random_program {

struct Plan {
  unsigned gpus = 1;
  unsigned threads = 1;
  unsigned phases = 3;
  unsigned steps = 40;  ///< of each thread in each phase
  bool graphs = false;
};

class Actor {
 public:
  /// @param slices  this thread's part of memory that all threads share, for each GPU
  Actor(const Plan& plan, unsigned thread, uint64_t seed, std::vector<Word*> slices, unsigned slice_count)
      : plan_(plan),
        thread_(thread),
        random_(seed),
        orders_(random_, plan.threads == 1),
        counted_(plan.gpus) {
    forget_access();
    for (unsigned gpu = 0; gpu < plan.gpus; ++gpu) {
      add_lane(gpu, nullptr, true);
      make_stream(gpu);
      if (random_.next() % 2 == 0) make_stream(gpu);
    }
    for (unsigned gpu = 0; gpu < plan.gpus; ++gpu) {
      for (unsigned k = 0; k < 2 + random_.next() % 2; ++k) make(fresh(), Memory::device, gpu);
      Buffer& slice = fresh();
      slice.memory = Memory::slice;
      slice.gpu = static_cast<int>(gpu);
      slice.data = slices[gpu];
      slice.want.assign(slice_count, 0);
    }
    make(fresh(), Memory::pinned, 0);
    if (random_.next() % 2 == 0) make(fresh(), Memory::managed, 0);
  }

  void phase(unsigned number) {
    phase_ = number;
    for (step_ = 0; step_ < plan_.steps; ++step_) one_step();
    settle();
    for (auto& buffer : buffers_) compare(*buffer);
  }
  /// Only between phases.
  void finish() {
    for (auto& buffer : buffers_) release(*buffer);
    for (auto& lane : lanes_)
      if (lane->stream != nullptr) HIP_OK(hipStreamDestroy(lane->stream));
  }
  /// Peer access was taken away from everybody.
  void forget_access() { access_.assign(plan_.gpus * plan_.gpus, false); }

  unsigned wrong() const { return wrong_; }
  Word counted(unsigned gpu) const { return counted_[gpu]; }
  /// Over what the GPUs were found to hold.
  uint64_t checksum() const { return checksum_; }

 private:
  uint64_t pick(uint64_t below) { return random_.next() % below; }
  Word odd() { return static_cast<Word>(random_.next()) | 1u; }
  Buffer& fresh() { return *buffers_.emplace_back(std::make_unique<Buffer>()); }
  void add_lane(unsigned gpu, hipStream_t stream, bool blocking) {
    auto lane = std::make_unique<Lane>();
    *lane = {stream, static_cast<int>(gpu), blocking};
    lanes_.push_back(std::move(lane));
  }
  void make_stream(unsigned gpu) {
    const bool blocking = pick(2) == 0;
    hipStream_t stream;
    HIP_OK(hipSetDevice(static_cast<int>(gpu)));
    HIP_OK(hipStreamCreateWithFlags(&stream, blocking ? hipStreamDefault : hipStreamNonBlocking));
    add_lane(gpu, stream, blocking);
  }
  void make(Buffer& buffer, Memory memory, unsigned gpu) {
    const size_t count = 64 + pick(1500);
    buffer.memory = memory;
    buffer.gpu = static_cast<int>(gpu);
    buffer.want = e2e::random_values<Word>(count, random_.next());
    HIP_OK(hipSetDevice(buffer.gpu));
    auto* place = reinterpret_cast<void**>(&buffer.data);
    if (memory == Memory::pinned) HIP_OK(hipHostMalloc(place, buffer.size_bytes(), hipHostMallocPortable));
    if (memory == Memory::managed) HIP_OK(hipMallocManaged(place, buffer.size_bytes()));
    if (memory == Memory::device) {
      HIP_OK(hipMalloc(place, buffer.size_bytes()));
      HIP_OK(hipMemcpy(buffer.data, buffer.want.data(), buffer.size_bytes(), hipMemcpyHostToDevice));
    } else {
      std::copy(buffer.want.begin(), buffer.want.end(), buffer.data);
    }
    buffer.note("new");
  }
  void release(Buffer& buffer) {
    orders_.before_host(buffer);
    HIP_OK(hipSetDevice(buffer.gpu));
    if (buffer.memory == Memory::pinned) HIP_OK(hipHostFree(buffer.data));
    if (buffer.memory == Memory::managed || buffer.memory == Memory::device) HIP_OK(hipFree(buffer.data));
  }

  bool may(int from, int to) const { return from == to || access_[from * plan_.gpus + to]; }
  bool may(const Lane& lane, const Buffer& buffer) const {
    return !buffer.on_gpu() || may(lane.gpu, buffer.gpu);
  }
  /// Any stream.
  Lane& lane() { return *lanes_[pick(lanes_.size())]; }
  Buffer& any() { return *buffers_[pick(buffers_.size())]; }
  /// A buffer that kernels of the stream's GPU may use; there always is one.
  Buffer& reachable(const Lane& lane) {
    for (;;) {
      Buffer& buffer = any();
      if (may(lane, buffer)) return buffer;
    }
  }
  Buffer& device_buffer() {
    for (;;) {
      Buffer& buffer = any();
      if (buffer.on_gpu()) return buffer;
    }
  }
  void use(const Lane& lane, Buffer& buffer, const std::string& what) {
    orders_.before(lane, buffer);
    buffer.note(what + "@" + name(lane));
  }

  void one_step() {
    switch (pick(20)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        return kernels();
      case 5:
      case 6:
        return combination();
      case 7:
      case 8:
      case 9:
        return copy();
      case 10:
        return fill();
      case 11:
        return upload();
      case 12:
      case 13:
        return compare(any());
      case 14:
        return replace();
      case 15:
        return replace_stream();
      case 16:
        return table();
      case 17:
        return count();
      case 18:
        return plan_.graphs && pick(2) == 0 ? graph() : callback();
      default:
        return plan_.gpus > 1 ? ask_access() : kernels();
    }
  }

  /// A few launches in one stream, on one buffer or more.
  void kernels() {
    Lane& at = lane();
    for (uint64_t left = 1 + pick(8); left != 0; --left) {
      Buffer& x = reachable(at);
      const Word a = odd(), b = static_cast<Word>(random_.next());
      use(at, x, "step");
      HIP_OK(hipSetDevice(at.gpu));
      step<<<groups(x.count()), kGroup, 0, at.stream>>>(x.data, x.count(), a, b);
      HIP_LAUNCHED();
      step_host(x.want.data(), x.count(), a, b);
    }
    if (pick(4) == 0) HIP_OK(hipStreamSynchronize(at.stream));
  }
  /// One kernel, two buffers, perhaps of two GPUs.
  void combination() {
    Lane& at = lane();
    Buffer& to = reachable(at);
    Buffer& from = reachable(at);
    if (&to == &from) return;
    const unsigned n = std::min(to.count(), from.count());
    const Word a = odd();
    use(at, to, "combine");
    use(at, from, "combined");
    HIP_OK(hipSetDevice(at.gpu));
    combine<<<groups(n), kGroup, 0, at.stream>>>(to.data, from.data, n, a);
    HIP_LAUNCHED();
    combine_host(to.want.data(), from.want.data(), n, a);
  }
  /// Part of a buffer into another one, on the same GPU, between GPUs in either direction, or from and to the
  /// host's.
  void copy() {
    Buffer& to = any();
    Buffer& from = any();
    if (&to == &from) return;
    const unsigned n = 1 + static_cast<unsigned>(pick(std::min(to.count(), from.count())));
    const unsigned skip = static_cast<unsigned>(pick(from.count() - n + 1));
    const unsigned at_word = static_cast<unsigned>(pick(to.count() - n + 1));
    // A copy belongs in a stream of one of the two GPUs.
    Lane* at = &lane();
    while (!(to.on_gpu() && at->gpu == to.gpu) && !(from.on_gpu() && at->gpu == from.gpu) &&
           (to.on_gpu() || from.on_gpu()))
      at = &lane();
    const bool peers = to.on_gpu() && from.on_gpu() && to.gpu != from.gpu;
    const std::string kind = peers ? "peer-copy-" : "copy-";
    use(*at, to, kind + "to[" + std::to_string(at_word) + "+" + std::to_string(n) + "]");
    use(*at, from, kind + "from[" + std::to_string(skip) + "+" + std::to_string(n) + "]");
    HIP_OK(hipSetDevice(at->gpu));
    if (peers)
      HIP_OK(hipMemcpyPeerAsync(to.data + at_word, to.gpu, from.data + skip, from.gpu, n * sizeof(Word),
                                at->stream));
    else
      HIP_OK(hipMemcpyAsync(to.data + at_word, from.data + skip, n * sizeof(Word), hipMemcpyDefault,
                            at->stream));
    std::copy_n(from.want.begin() + skip, n, to.want.begin() + at_word);
  }
  void fill() {
    Buffer& buffer = device_buffer();
    Lane* at = &lane();
    while (at->gpu != buffer.gpu) at = &lane();
    const unsigned n = 1 + static_cast<unsigned>(pick(buffer.count()));
    const auto value = static_cast<int>(random_.next());
    use(*at, buffer, "fill[0+" + std::to_string(n) + "]");
    HIP_OK(hipSetDevice(at->gpu));
    HIP_OK(hipMemsetD32Async(buffer.data, value, n, at->stream));
    std::fill_n(buffer.want.begin(), n, static_cast<Word>(value));
  }
  /// The host's own memory, copied while the host waits.
  void upload() {
    Buffer& buffer = device_buffer();
    orders_.before_host(buffer);
    for (auto& word : buffer.want) word ^= static_cast<Word>(random_.next());
    HIP_OK(hipSetDevice(buffer.gpu));
    HIP_OK(hipMemcpy(buffer.data, buffer.want.data(), buffer.size_bytes(), hipMemcpyHostToDevice));
    buffer.note("upload");
  }
  void replace() {
    Buffer& buffer = any();
    if (buffer.memory == Memory::slice) return;
    release(buffer);
    make(buffer, buffer.memory, static_cast<unsigned>(buffer.gpu));
  }
  void replace_stream() {
    Lane& at = lane();
    if (at.stream == nullptr) return;
    // Buffers must not point at a stream that is gone.
    for (auto& buffer : buffers_)
      if (buffer->last == &at) orders_.before_host(*buffer);
    HIP_OK(hipSetDevice(at.gpu));
    HIP_OK(hipStreamDestroy(at.stream));
    at.blocking = pick(2) == 0;
    HIP_OK(hipStreamCreateWithFlags(&at.stream, at.blocking ? hipStreamDefault : hipStreamNonBlocking));
  }
  /// Memory of the stream's own GPU that no argument points at.
  void table() {
    Lane& at = lane();
    std::vector<Buffer*> entries;
    for (auto& buffer : buffers_)
      if (buffer->on_gpu() && buffer->gpu == at.gpu) entries.push_back(buffer.get());
    std::vector<Word*> addresses;
    for (Buffer* buffer : entries) {
      use(at, *buffer, "table");
      addresses.push_back(buffer->data);
    }
    HIP_OK(hipSetDevice(at.gpu));
    Word** device = nullptr;
    HIP_OK(hipMalloc(reinterpret_cast<void**>(&device), addresses.size() * sizeof(Word*)));
    HIP_OK(hipMemcpy(device, addresses.data(), addresses.size() * sizeof(Word*), hipMemcpyHostToDevice));
    const auto number = static_cast<unsigned>(entries.size());
    const auto b = static_cast<Word>(random_.next());
    through_table<<<dim3(number), kGroup, 0, at.stream>>>(device, number, kGroup, b);
    HIP_LAUNCHED();
    for (Buffer* buffer : entries) through_table_host(buffer->want.data(), kGroup, b);
    HIP_OK(hipStreamSynchronize(at.stream));
    HIP_OK(hipFree(device));
  }
  void count() {
    Lane& at = lane();
    const auto by = static_cast<Word>(pick(1000));
    HIP_OK(hipSetDevice(at.gpu));
    count_up<<<dim3(1), kGroup, 0, at.stream>>>(by);
    HIP_LAUNCHED();
    counted_[at.gpu] += kGroup * by;
  }
  /// Built node by node, or captured; launched a few times.
  void graph() {
    Lane& at = lane();
    Buffer& x = reachable(at);
    Buffer& y = reachable(at);
    const unsigned n = std::min(x.count(), y.count());
    const Word a = odd(), b = static_cast<Word>(random_.next());
    use(at, x, "graph");
    use(at, y, "graph");
    HIP_OK(hipSetDevice(at.gpu));
    hipGraph_t graph;
    if (at.stream != nullptr && pick(2) == 0) {
      HIP_OK(hipStreamBeginCapture(at.stream, hipStreamCaptureModeGlobal));
      step<<<groups(x.count()), kGroup, 0, at.stream>>>(x.data, x.count(), a, b);
      if (&x != &y) combine<<<groups(n), kGroup, 0, at.stream>>>(y.data, x.data, n, a);
      HIP_OK(hipStreamEndCapture(at.stream, &graph));
    } else {
      HIP_OK(hipGraphCreate(&graph, 0));
      unsigned n_x = x.count(), n_y = n;
      Word a_value = a, b_value = b;
      void* step_arguments[] = {&x.data, &n_x, &a_value, &b_value};
      void* combine_arguments[] = {&y.data, &x.data, &n_y, &a_value};
      hipGraphNode_t first, second;
      const auto add = [&](hipGraphNode_t& node, const hipGraphNode_t* after, auto* kernel, unsigned items,
                           void** arguments) {
        hipKernelNodeParams node_is{};
        node_is.func = reinterpret_cast<void*>(kernel);
        node_is.gridDim = groups(items);
        node_is.blockDim = dim3(kGroup);
        node_is.kernelParams = arguments;
        HIP_OK(hipGraphAddKernelNode(&node, graph, after, after == nullptr ? 0 : 1, &node_is));
      };
      add(first, nullptr, step, n_x, step_arguments);
      if (&x != &y) add(second, &first, combine, n_y, combine_arguments);
    }
    hipGraphExec_t executable;
    HIP_OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
    for (uint64_t left = 1 + pick(3); left != 0; --left) {
      HIP_OK(hipGraphLaunch(executable, at.stream));
      step_host(x.want.data(), x.count(), a, b);
      if (&x != &y) combine_host(y.want.data(), x.want.data(), n, a);
    }
    HIP_OK(hipStreamSynchronize(at.stream));
    HIP_OK(hipGraphExecDestroy(executable));
    HIP_OK(hipGraphDestroy(graph));
  }
  void callback() {
    Lane& at = lane();
    HIP_OK(hipSetDevice(at.gpu));
    ++callbacks_;
    HIP_OK(hipStreamAddCallback(
        at.stream, [](hipStream_t, hipError_t, void* seen) { ++*static_cast<std::atomic<unsigned>*>(seen); },
        &called_back_, 0));
  }
  /// From here on this thread's kernels use the other GPU's memory. Another thread may have asked before.
  void ask_access() {
    const auto from = static_cast<int>(pick(plan_.gpus));
    const auto to = static_cast<int>(pick(plan_.gpus));
    if (from == to) return;
    HIP_OK(hipSetDevice(from));
    const hipError_t status = hipDeviceEnablePeerAccess(to, 0);
    if (status != hipErrorPeerAccessAlreadyEnabled) HIP_OK(status);
    static_cast<void>(hipGetLastError());
    access_[from * plan_.gpus + to] = true;
  }

  void settle() {
    for (auto& lane : lanes_) {
      HIP_OK(hipSetDevice(lane->gpu));
      HIP_OK(hipStreamSynchronize(lane->stream));
    }
    for (auto& buffer : buffers_) buffer->last = nullptr;
    orders_.forget_events();
    if (called_back_ != callbacks_) {
      std::printf("wrong: thread %u phase %u: %u callbacks ran, want %u\n", thread_, phase_,
                  called_back_.load(), callbacks_);
      ++wrong_;
    }
  }
  void compare(Buffer& buffer) {
    orders_.before_host(buffer);
    Words got(buffer.count());
    HIP_OK(hipSetDevice(buffer.gpu));
    if (buffer.on_gpu())
      HIP_OK(hipMemcpy(got.data(), buffer.data, buffer.size_bytes(), hipMemcpyDeviceToHost));
    else
      std::copy_n(buffer.data, buffer.count(), got.begin());
    checksum_ = checksum_ * 31 + e2e::checksum(got.data(), buffer.size_bytes());
    if (got == buffer.want) {
      buffer.trail.clear();
      return;
    }
    ++wrong_;
    unsigned first = 0, number = 0;
    for (unsigned i = buffer.count(); i-- > 0;)
      if (got[i] != buffer.want[i]) first = i, ++number;
    static const char* const kinds[] = {"device", "pinned", "managed", "slice"};
    std::printf(
        "wrong: thread %u phase %u step %u: %s buffer of gpu %d: %u of %u words, [%u] is %#x, want %#x;%s\n",
        thread_, phase_, step_, kinds[static_cast<int>(buffer.memory)], buffer.gpu, number, buffer.count(),
        first, got[first], buffer.want[first], buffer.trail.c_str());
    buffer.want = got;
    buffer.trail.clear();
  }

  const Plan& plan_;
  unsigned thread_;
  e2e::Random random_;
  Orders orders_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<bool> access_;  ///< [from * gpus + to]: this thread may use it
  std::vector<Word> counted_;
  std::atomic<unsigned> called_back_{0};
  unsigned callbacks_ = 0, phase_ = 0, step_ = 0, wrong_ = 0;
  uint64_t checksum_ = 0;
};

}  // namespace random_program
