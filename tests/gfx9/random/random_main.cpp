// Runs random programs (program.py) on the interpreter and compares each output with what the host's code of
// the same program stored. Arguments: code object, host library, manifest, target. The manifest has a line
// per program: seed, inputs, outputs, as comma-separated types. Prints one line per program that differs.
#include <dlfcn.h>
#include <fmt/core.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "gfx9/grid.hpp"
#include "hip/code_object.hpp"

namespace g = softgpu::gfx9;

namespace {

constexpr uint64_t kCode = 0x7f0000000000, kIn = 0x7f1000000000, kOut = 0x7f1100000000;
constexpr uint64_t kKernarg = 0x7f2000000000, kPacket = 0x7f2000010000, kScratch = 0x7f3000000000;
constexpr uint32_t kLaneBytes = 17408, kScratchWaves = 16;
constexpr uint32_t kItems = 100;     // the second wave is partly there
constexpr size_t kSlotBytes = 1024;  // 128 work-items, 8 bytes each
constexpr size_t kBytes = 256 * kSlotBytes;

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

/// Scalars in a type, the bits of one, and whether they are floats.
struct Shape {
  unsigned count, bits;
  bool is_float;
};
Shape shape_of(const std::string& type) {
  const size_t x = type.find('x');
  const std::string one = x == std::string::npos ? type : type.substr(x + 1);
  const unsigned count = x == std::string::npos ? 1 : static_cast<unsigned>(std::stoul(type));
  if (one == "half") return {count, 16, true};
  if (one == "float") return {count, 32, true};
  if (one == "double") return {count, 64, true};
  return {count, static_cast<unsigned>(std::stoul(one.substr(1))), false};
}

struct Layout {
  uint64_t exponent, fraction;
};
Layout layout_of(unsigned bits) {
  if (bits == 16) return {0x7c00, 0x3ff};
  if (bits == 32) return {0x7f800000, 0x7fffff};
  return {0x7ff0000000000000, 0xfffffffffffff};
}
bool is_nan(uint64_t value, unsigned bits) {
  const Layout l = layout_of(bits);
  return (value & l.exponent) == l.exponent && (value & l.fraction) != 0;
}

uint64_t draw(std::mt19937_64& engine, const Shape& s) {
  const uint64_t mask = s.bits == 64 ? ~uint64_t{0} : (uint64_t{1} << s.bits) - 1;
  const uint64_t any = engine() & mask;
  if (!s.is_float) {
    switch (engine() % 6) {
      case 0:
        return any & 0xff;
      case 1:
        return (mask >> 1) + engine() % 3;
      case 2:
        return (engine() % 9 - 4) & mask;
      case 3:
        return any & (mask >> engine() % s.bits);
      default:
        return any;
    }
  }
  const Layout l = layout_of(s.bits);
  const uint64_t sign = any & ~(mask >> 1), one = (l.exponent >> 1) & l.exponent;
  switch (engine() % 12) {
    case 0:
      return sign;
    case 1:
      return sign | l.exponent;  // infinite
    case 2:
      return sign | l.exponent | ((l.fraction >> 1) + 1);  // quiet NaN
    case 3:
      return sign | (any & l.fraction);  // denormal
    case 4:
      return sign | (l.fraction + 1) * (1 + engine() % 3);  // near the smallest
    case 5:
      return sign | (l.exponent - (l.fraction + 1)) | (any & l.fraction);  // near the largest
    case 6:
    case 7:
      return sign | one | (any & l.fraction);
    case 8:
      return sign | (one + (l.fraction + 1) * (engine() % 20 - 4));  // a power of two
    default:
      return is_nan(any, s.bits) || (any & l.exponent) == l.exponent ? one : any;
  }
}

struct Arguments {
  uint32_t ua, ub;
  uint64_t uc;
  float ud;
  double ue;
};
using HostFn = void (*)(const std::byte*, std::byte*, uint32_t, uint32_t, uint64_t, float, double, uint32_t);

class Comparison {
 public:
  Comparison(const char* code, const char* host, uint32_t target)
      : memory_(), code_(code, memory_, kCode), library_(dlopen(host, RTLD_NOW)), grid_([&] {
          g::DeviceConfig config;
          config.gfx_target_version = target;
          return config;
        }()) {
    if (library_ == nullptr) throw std::runtime_error(dlerror());
    memory_.add(kIn, kBytes);
    memory_.add(kOut, kBytes);
    memory_.add(kKernarg, 4096);
    memory_.add(kPacket, 64);
    memory_.add(kScratch, size_t{kLaneBytes} * 64 * kScratchWaves);
  }

  /// @return what differs, or an empty string
  std::string run(const std::string& seed, const std::vector<std::string>& inputs,
                  const std::vector<std::string>& outputs) {
    std::mt19937_64 engine(std::stoull(seed));
    std::byte* in = memory_.at(kIn, kBytes);
    for (size_t slot = 0; slot < inputs.size(); ++slot) {
      const Shape s = shape_of(inputs[slot]);
      for (uint32_t item = 0; item < 128; ++item) {
        for (unsigned n = 0; n < s.count; ++n) {
          const uint64_t value = draw(engine, s);
          std::memcpy(in + slot * kSlotBytes + item * 8 + n * s.bits / 8, &value, s.bits / 8);
        }
      }
    }
    const uint32_t kinds[3] = {32, 64, 0};
    Arguments a{};
    a.ua = static_cast<uint32_t>(draw(engine, {1, kinds[0], false}));
    a.ub = static_cast<uint32_t>(draw(engine, {1, kinds[0], false}));
    a.uc = draw(engine, {1, kinds[1], false});
    const uint32_t ud = static_cast<uint32_t>(draw(engine, {1, 32, true}));
    const uint64_t ue = draw(engine, {1, 64, true});
    std::memcpy(&a.ud, &ud, 4);
    std::memcpy(&a.ue, &ue, 8);
    std::vector<std::byte> want(kBytes);
    const auto fn = reinterpret_cast<HostFn>(dlsym(library_, ("k" + seed).c_str()));
    if (fn == nullptr) return "not in the host library";
    for (uint32_t item = 0; item < kItems; ++item) fn(in, want.data(), a.ua, a.ub, a.uc, a.ud, a.ue, item);
    std::byte* out = memory_.at(kOut, kBytes);
    std::memset(out, 0, kBytes);
    const std::string failed = launch("k" + seed, a);
    if (!failed.empty()) return failed;
    return differences(outputs, want, out);
  }

 private:
  std::string launch(const std::string& kernel, const Arguments& a) {
    std::byte* k = memory_.at(kKernarg, 4096);
    std::memset(k, 0, 4096);
    const uint64_t pointers[2] = {kIn, kOut};
    std::memcpy(k, pointers, 16);
    std::memcpy(k + 16, &a.ua, 4);
    std::memcpy(k + 20, &a.ub, 4);
    std::memcpy(k + 24, &a.uc, 8);
    std::memcpy(k + 32, &a.ud, 4);
    std::memcpy(k + 40, &a.ue, 8);
    g::GridDispatch d;
    d.kernel_object = g::GpuVa(code_.symbol(kernel + ".kd"));
    d.kernarg = g::GpuVa(kKernarg);
    d.packet = g::GpuVa(kPacket);
    d.workgroup_size[0] = 64;
    d.grid_size[0] = kItems;
    for (unsigned n = 0; n < 3;
         ++n) {  // scratch that the compiler moves to LDS is found by the workgroup's size
      memory_.write<uint16_t>(kPacket + 4 + 2 * n, d.workgroup_size[n]);
      memory_.write<uint32_t>(kPacket + 12 + 4 * n, d.grid_size[n]);
    }
    d.group_segment_bytes = memory_.read<uint32_t>(d.kernel_object.value);
    d.private_segment_bytes = memory_.read<uint32_t>(d.kernel_object.value + 4);
    d.scratch_base = g::GpuVa(kScratch);
    d.scratch_waves = kScratchWaves;
    d.scratch_lane_bytes = kLaneBytes;
    d.scratch_wave_bytes = kLaneBytes * 64;
    d.scratch_descriptor[0] = static_cast<uint32_t>(kScratch);
    d.scratch_descriptor[1] = static_cast<uint32_t>(kScratch >> 32) | 1u << 31;
    d.scratch_descriptor[2] = kLaneBytes * 64 * kScratchWaves;
    d.scratch_descriptor[3] = 0x00ea4fac;
    g::GridHost host;
    host.memory = &memory_;
    const g::GridResult result = grid_.run(d, host);
    return result.end == g::GridEnd::completed ? "" : fmt::format("ends with a fault: {}", result.fault.text);
  }

  static std::string differences(const std::vector<std::string>& outputs, const std::vector<std::byte>& want,
                                 const std::byte* have) {
    for (size_t slot = 0; slot < outputs.size(); ++slot) {
      const Shape s = shape_of(outputs[slot]);
      for (uint32_t item = 0; item < kItems; ++item) {
        for (unsigned n = 0; n < s.count; ++n) {
          uint64_t w = 0, h = 0;
          const size_t at = slot * kSlotBytes + item * 8 + n * s.bits / 8;
          std::memcpy(&w, want.data() + at, s.bits / 8);
          std::memcpy(&h, have + at, s.bits / 8);
          if (w == h || (s.is_float && is_nan(w, s.bits) && is_nan(h, s.bits))) continue;
          return fmt::format("output {} ({}[{}]) of work-item {} is 0x{:x}, the host's code says 0x{:x}",
                             slot, outputs[slot], n, item, h, w);
        }
      }
    }
    return {};
  }

  gfx9_test::FakeMemory memory_;
  gfx9_test::CodeObject code_;
  void* library_;
  g::Grid grid_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: gfx9_random CODE_OBJECT HOST_LIBRARY MANIFEST gfx900|gfx906|gfx90a\n", stderr);
    return 2;
  }
  const std::string name = argv[4];
  const uint32_t target = name == "gfx90a" ? 90010 : name == "gfx900" ? 90000 : 90006;
  Comparison comparison(argv[1], argv[2], target);
  std::ifstream manifest(argv[3]);
  bool differ = false;
  for (std::string seed, inputs, outputs; manifest >> seed >> inputs >> outputs;) {
    const std::string what = comparison.run(seed, split(inputs), split(outputs));
    if (what.empty()) continue;
    fmt::print("{} {}\n", seed, what);
    differ = true;
  }
  return differ ? 1 : 0;
}
