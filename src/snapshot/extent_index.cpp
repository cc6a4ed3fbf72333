#include "snapshot/extent_index.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace kreplay::snapshot {
namespace {

constexpr size_t kLeafCapacity = 64;
constexpr size_t kSlotsPerBlock = 256;
constexpr size_t kFirstDirectory = 64;
constexpr int kTries = 64;

// All shared words are atomic. Writers store with release and readers load with acquire, which orders them
// against the version counter as a fence would, in a form ThreadSanitizer understands.
template <typename T>
T get(const std::atomic<T>& word) {
  return word.load(std::memory_order_acquire);
}
template <typename T>
void set(std::atomic<T>& word, T value) {
  word.store(value, std::memory_order_release);
}

/// Room for `count` elements, so that giving one back to a free list never allocates.
template <typename T>
void reserve_doubling(std::vector<T>& list, size_t count) {
  if (list.capacity() < count) list.reserve(2 * count);
}

}  // namespace

struct ExtentIndex::Slot {
  std::atomic<uint64_t> base{0}, size{0}, generation{0}, agent{0}, accessors{0};
  std::atomic<std::byte*> host{nullptr};
  std::atomic<MemoryClass> memory_class{};
};

struct ExtentIndex::Leaf {
  std::atomic<size_t> count{0};
  std::atomic<uint64_t> base[kLeafCapacity] = {};
  std::atomic<Slot*> slot[kLeafCapacity] = {};

  void insert(size_t position, uint64_t new_base, Slot* new_slot) {
    const size_t n = get(count);
    if (!KR_HOLDS(position <= n && n < kLeafCapacity, "a full leaf is split before it takes more")) return;
    for (size_t i = n; i > position; --i) {
      set(base[i], get(base[i - 1]));
      set(slot[i], get(slot[i - 1]));
    }
    set(base[position], new_base);
    set(slot[position], new_slot);
    set(count, n + 1);
  }
  void erase(size_t position) {
    const size_t n = get(count);
    for (size_t i = position; i + 1 < n; ++i) {
      set(base[i], get(base[i + 1]));
      set(slot[i], get(slot[i + 1]));
    }
    set(count, n - 1);
  }
};

/// Entry i covers addresses from first[i] up to first[i + 1]. Entry 0 also covers everything below.
struct ExtentIndex::Directory {
  explicit Directory(size_t entries)
      : capacity(entries),
        first(new std::atomic<uint64_t>[entries]()),
        leaf(new std::atomic<Leaf*>[entries]()) {}
  const size_t capacity;
  std::atomic<size_t> count{0};
  std::unique_ptr<std::atomic<uint64_t>[]> first;
  std::unique_ptr<std::atomic<Leaf*>[]> leaf;
};

namespace {

/// Number of keys <= va among the first n. Terminates for any content.
size_t upper(const std::atomic<uint64_t>* keys, size_t n, uint64_t va) {
  size_t low = 0;
  while (n > 0) {
    const size_t half = n / 2;
    if (get(keys[low + half]) <= va) {
      low += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return low;
}

}  // namespace

/// Makes the version odd for its scope.
class ExtentIndex::WriteScope {
 public:
  explicit WriteScope(std::atomic<uint64_t>& version) : version_(version) {
    const uint64_t before = version_.load(std::memory_order_relaxed);
    KR_CHECK(before % 2 == 0, "one writer at a time");
    version_.store(before + 1, std::memory_order_relaxed);
  }
  ~WriteScope() { version_.store(version_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  WriteScope(const WriteScope&) = delete;
  WriteScope& operator=(const WriteScope&) = delete;

 private:
  std::atomic<uint64_t>& version_;
};

ExtentIndex::ExtentIndex() {
  directories_.push_back(std::make_unique<Directory>(kFirstDirectory));
  set(directory_, directories_.back().get());
}
ExtentIndex::~ExtentIndex() = default;

size_t ExtentIndex::leaf_count() const { return get(get(directory_)->count); }
size_t ExtentIndex::leaf_size(size_t leaf) const { return get(get(get(directory_)->leaf[leaf])->count); }

void ExtentIndex::copy(const Slot& slot, Extent* out) {
  out->base = GpuVa(get(slot.base));
  out->size = get(slot.size);
  out->generation = get(slot.generation);
  out->agent = get(slot.agent);
  out->memory_class = get(slot.memory_class);
  out->accessors = get(slot.accessors);
  out->host.value = get(slot.host);
}

Extent ExtentIndex::load(size_t leaf, size_t position) const {
  Extent extent;
  copy(*get(get(get(directory_)->leaf[leaf])->slot[position]), &extent);
  return extent;
}

ExtentIndex::Lookup ExtentIndex::try_floor(uint64_t va, Extent* out) const {
  const Directory& directory = *get(directory_);
  const size_t leaves = std::min(get(directory.count), directory.capacity);
  const size_t after = upper(directory.first.get(), leaves, va);
  if (after == 0) return Lookup::absent;
  const Leaf* leaf = get(directory.leaf[after - 1]);
  if (leaf == nullptr) return Lookup::raced;
  const size_t position = upper(leaf->base, std::min(get(leaf->count), kLeafCapacity), va);
  if (position == 0) return Lookup::raced;  // the directory said that the leaf's first base is not above va
  const Slot* slot = get(leaf->slot[position - 1]);
  if (slot == nullptr) return Lookup::raced;
  copy(*slot, out);
  return Lookup::found;
}

ExtentIndex::Lookup ExtentIndex::try_around(uint64_t va, Neighbours* out) const {
  *out = {};
  const Directory& directory = *get(directory_);
  const size_t leaves = std::min(get(directory.count), directory.capacity);
  const size_t after = upper(directory.first.get(), leaves, va);
  bool whole = true;
  const auto leaf_at = [&](size_t leaf) { return get(directory.leaf[leaf]); };
  const auto put = [&](const Leaf* leaf, size_t position, std::optional<Extent>& to) {
    const Slot* slot = leaf == nullptr || position >= kLeafCapacity ? nullptr : get(leaf->slot[position]);
    if (slot == nullptr) {
      whole = false;
      return;
    }
    copy(*slot, &to.emplace());
  };
  if (after == 0) {
    if (leaves > 0) put(leaf_at(0), 0, out->after);
    return whole ? Lookup::found : Lookup::raced;
  }
  const Leaf* leaf = leaf_at(after - 1);
  if (leaf == nullptr) return Lookup::raced;
  const size_t count = std::min(get(leaf->count), kLeafCapacity);
  const size_t position = upper(leaf->base, count, va);
  if (position == 0) return Lookup::raced;
  put(leaf, position - 1, out->at);
  if (position >= 2) {
    put(leaf, position - 2, out->before);
  } else if (after >= 2) {
    const Leaf* previous = leaf_at(after - 2);
    if (previous == nullptr) return Lookup::raced;
    put(previous, get(previous->count) - 1, out->before);
  }
  if (position < count)
    put(leaf, position, out->after);
  else if (after < leaves)
    put(leaf_at(after), 0, out->after);
  return whole ? Lookup::found : Lookup::raced;
}

template <typename Try>
ExtentIndex::Lookup ExtentIndex::retry(Try&& attempt) const {
  for (int i = 0; i < kTries; ++i) {
    const uint64_t before = version_.load(std::memory_order_acquire);
    if (before % 2 != 0) continue;
    const Lookup result = attempt();
    if (version_.load(std::memory_order_relaxed) == before && result != Lookup::raced) return result;
  }
  return Lookup::raced;
}

ExtentIndex::Lookup ExtentIndex::floor(GpuVa va, Extent* out) const {
  return retry([&] { return try_floor(va.value, out); });
}

ExtentIndex::Lookup ExtentIndex::around(GpuVa va, Neighbours* out) const {
  return retry([&] { return try_around(va.value, out); });
}

ExtentIndex::Slot* ExtentIndex::new_slot() {
  if (free_slots_.empty()) {
    reserve_doubling(free_slots_, (slot_blocks_.size() + 1) * kSlotsPerBlock);
    slot_blocks_.push_back(std::make_unique<Slot[]>(kSlotsPerBlock));
    for (size_t i = 0; i < kSlotsPerBlock; ++i) free_slots_.push_back(&slot_blocks_.back()[i]);
  }
  Slot* slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

ExtentIndex::Leaf* ExtentIndex::new_leaf() {
  if (free_leaves_.empty()) {
    reserve_doubling(free_leaves_, leaves_.size() + 1);
    leaves_.push_back(std::make_unique<Leaf>());
    return leaves_.back().get();
  }
  Leaf* leaf = free_leaves_.back();
  KR_CHECK(get(leaf->count) == 0, "a spare leaf is empty");
  free_leaves_.pop_back();
  return leaf;
}

void ExtentIndex::grow_directory() {
  const Directory* directory = get(directory_);
  const size_t n = get(directory->count);
  directories_.push_back(std::make_unique<Directory>(2 * directory->capacity));
  Directory* larger = directories_.back().get();
  for (size_t i = 0; i < n; ++i) {
    set(larger->first[i], get(directory->first[i]));
    set(larger->leaf[i], get(directory->leaf[i]));
  }
  set(larger->count, n);
  set(directory_, larger);  // same content: no reader needs to notice
}

void ExtentIndex::add_leaf(size_t position, Leaf* leaf) {
  Directory* directory = get(directory_);
  const size_t n = get(directory->count);
  if (!KR_HOLDS(position <= n && n < directory->capacity, "the directory grows before it is full")) return;
  for (size_t i = n; i > position; --i) {
    set(directory->first[i], get(directory->first[i - 1]));
    set(directory->leaf[i], get(directory->leaf[i - 1]));
  }
  set(directory->leaf[position], leaf);
  set(directory->first[position], get(leaf->base[0]));
  set(directory->count, n + 1);
}

void ExtentIndex::drop_leaf(size_t position) {
  Directory* directory = get(directory_);
  const size_t n = get(directory->count);
  KR_CHECK(get(get(directory->leaf[position])->count) == 0, "only an empty leaf is given up");
  KR_CHECK(free_leaves_.size() < free_leaves_.capacity(), "giving up a leaf needs no memory");
  free_leaves_.push_back(get(directory->leaf[position]));
  for (size_t i = position; i + 1 < n; ++i) {
    set(directory->first[i], get(directory->first[i + 1]));
    set(directory->leaf[i], get(directory->leaf[i + 1]));
  }
  set(directory->count, n - 1);
}

void ExtentIndex::insert(const Extent& extent) {
  // All allocation happens before the version turns odd: a failure leaves the index as it was.
  const uint64_t base = extent.base.value;
  if (get(get(directory_)->count) == get(directory_)->capacity) grow_directory();
  Directory* directory = get(directory_);
  const size_t leaves = get(directory->count);
  const size_t after = upper(directory->first.get(), leaves, base);
  const size_t index = after == 0 ? 0 : after - 1;
  Leaf* leaf = leaves == 0 ? nullptr : get(directory->leaf[index]);
  Leaf* spare = leaf == nullptr || get(leaf->count) == kLeafCapacity ? new_leaf() : nullptr;
  Slot* slot = new_slot();

  const WriteScope scope(version_);
  set(slot->base, base);
  set(slot->size, extent.size);
  set(slot->generation, extent.generation);
  set(slot->agent, extent.agent);
  set(slot->host, extent.host.value);
  set(slot->memory_class, extent.memory_class);
  set(slot->accessors, extent.accessors);
  if (leaf == nullptr) {
    spare->insert(0, base, slot);
    add_leaf(0, spare);
    return;
  }
  size_t position = upper(leaf->base, get(leaf->count), base);
  KR_CHECK(position == 0 || get(leaf->base[position - 1]) != base, "an address is in the index once");
  if (spare != nullptr) {
    // Ascending addresses fill leaves completely; anything else splits in the middle.
    const size_t keep = position == kLeafCapacity ? kLeafCapacity : kLeafCapacity / 2;
    for (size_t i = keep; i < kLeafCapacity; ++i)
      spare->insert(i - keep, get(leaf->base[i]), get(leaf->slot[i]));
    set(leaf->count, keep);
    if (position >= keep) {
      spare->insert(position - keep, base, slot);
      add_leaf(index + 1, spare);
      return;
    }
    add_leaf(index + 1, spare);
  }
  leaf->insert(position, base, slot);
  if (position == 0) set(directory->first[index], base);
}

bool ExtentIndex::erase(GpuVa base) {
  Directory* directory = get(directory_);
  const size_t after = upper(directory->first.get(), get(directory->count), base.value);
  if (after == 0) return false;
  Leaf* leaf = get(directory->leaf[after - 1]);
  const size_t position = upper(leaf->base, get(leaf->count), base.value);
  if (position == 0 || get(leaf->base[position - 1]) != base.value) return false;
  KR_CHECK(free_slots_.size() < free_slots_.capacity(), "giving up a slot needs no memory");
  const WriteScope scope(version_);
  free_slots_.push_back(get(leaf->slot[position - 1]));
  leaf->erase(position - 1);
  if (get(leaf->count) == 0) {
    drop_leaf(after - 1);
  } else if (position == 1) {
    set(directory->first[after - 1], get(leaf->base[0]));
  }
  return true;
}

void ExtentIndex::clear() {
  const WriteScope scope(version_);
  while (leaf_count() > 0) {
    const size_t last = leaf_count() - 1;
    Leaf* leaf = get(get(directory_)->leaf[last]);
    for (size_t i = 0; i < get(leaf->count); ++i) free_slots_.push_back(get(leaf->slot[i]));
    set(leaf->count, size_t{0});
    drop_leaf(last);
  }
}

}  // namespace kreplay::snapshot
