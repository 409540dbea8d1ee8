#include "trisweep/component/exchanges.hpp"

#include <atomic>
#include <bit>
#include <mutex>
#include <stdexcept>

namespace trisweep::component {
namespace {

using Count = std::int32_t;
using Counters = std::vector<std::atomic<Count>>;

template <Scalar T>
void add_atomically(T& sum, const T& value) {
  using R = RealOf<T>;
  auto* const part = reinterpret_cast<R*>(&sum);
  const auto* const with = reinterpret_cast<const R*>(&value);
  for (std::size_t i = 0; i < sizeof(T) / sizeof(R); ++i)
    std::atomic_ref(part[i]).fetch_add(with[i], std::memory_order_relaxed);
}

// By component: contributions of all other PEs.
std::vector<Index> totals(const Crossings& crossings) {
  std::vector<Index> total(crossings.owner.size());
  for (const auto& of_pe : crossings.contributions) {
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += of_pe[i];
  }
  return total;
}

Counters counters_of(const std::vector<Index>& values) {
  Counters counters(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) counters[i].store(values[i], std::memory_order_relaxed);
  return counters;
}

// Sums and counters of all components lie in pages that move to whoever touches them.
template <Scalar T>
class Unified final : public Exchanger<T> {
 public:
  explicit Unified(const Crossings& crossings)
      : owner_(crossings.owner),
        missing_(counters_of(totals(crossings))),
        sum_(missing_.size()),
        page_of_(missing_.size() / components_of_page + 1) {
    for (auto& page : page_of_) page.store(host, std::memory_order_relaxed);
  }

  void contribute(Index pe, Index component, T value, PeCounts& counts) override {
    touch(pe, component, counts);
    add_atomically(sum_[usize(component)], value);
    missing_[usize(component)].fetch_sub(1, std::memory_order_release);
  }
  bool complete(Index component, PeCounts& counts) override {
    touch(owner_[usize(component)], component, counts);
    return missing_[usize(component)].load(std::memory_order_acquire) == 0;
  }
  T sum(Index component, PeCounts&) override { return sum_[usize(component)]; }

 private:
  // A fault brings the 64 KiB around it (Ganguly, Zhang, Yang, Melhem, ISCA 2019).
  static constexpr Offset page_bytes = 65536;
  static constexpr Index host = -1;
  static constexpr std::size_t components_of_page = usize(page_bytes) / (sizeof(T) + sizeof(Count));

  void touch(Index pe, Index component, PeCounts& counts) {
    auto& page = page_of_[usize(component) / components_of_page];
    if (page.exchange(pe, std::memory_order_relaxed) == pe) return;
    ++counts.migrations;
    counts.bytes += page_bytes;
  }

  const std::vector<Index>& owner_;
  Counters missing_;
  std::vector<T> sum_;
  std::vector<std::atomic<Index>> page_of_;
};

template <Scalar T>
class GetUpdatePut final : public Exchanger<T> {
 public:
  explicit GetUpdatePut(const Crossings& crossings)
      : owner_(crossings.owner),
        missing_(counters_of(totals(crossings))),
        sum_(missing_.size()),
        one_(crossings.contributions.size()) {}

  void contribute(Index, Index component, T value, PeCounts& counts) override {
    const std::lock_guard alone(one_[usize(owner_[usize(component)])]);
    sum_[usize(component)] += value;
    missing_[usize(component)].fetch_sub(1, std::memory_order_release);
    counts.ordered += 2;
    counts.bytes += 2 * (sizeof(T) + sizeof(Count));
  }
  bool complete(Index component, PeCounts&) override {
    return missing_[usize(component)].load(std::memory_order_acquire) == 0;
  }
  T sum(Index component, PeCounts&) override { return sum_[usize(component)]; }

 private:
  const std::vector<Index>& owner_;
  Counters missing_;
  std::vector<T> sum_;
  std::vector<std::mutex> one_;  // by PE, the owner
};

// What every PE adds up by itself for components of the others.
template <Scalar T>
struct OwnSums {
  explicit OwnSums(const Crossings& crossings) : sum(crossings.contributions.size()) {
    for (const auto& of_pe : crossings.contributions) missing.push_back(counters_of(of_pe));
    for (auto& of_pe : sum) of_pe.resize(crossings.owner.size());
  }
  // True when that was the last one.
  bool add(Index pe, Index component, T value) {
    sum[usize(pe)][usize(component)] += value;
    return missing[usize(pe)][usize(component)].fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  std::vector<std::vector<T>> sum;
  std::vector<Counters> missing;
};

template <Scalar T>
class ReadOnly final : public Exchanger<T> {
 public:
  explicit ReadOnly(const Crossings& crossings)
      : own_(crossings), others_(crossings.owner.size()), waits_for_(crossings.owner.size()) {
    const auto all = ~std::uint64_t{0} >> (64 - crossings.contributions.size());
    for (std::size_t i = 0; i < others_.size(); ++i)
      others_[i] = all & ~(std::uint64_t{1} << usize(crossings.owner[i]));
    waits_for_ = others_;
  }

  void contribute(Index pe, Index component, T value, PeCounts&) override { own_.add(pe, component, value); }
  // A PE that had nothing left is not asked again (Algorithm 3, line 21).
  bool complete(Index component, PeCounts& counts) override {
    std::uint64_t& waits_for = waits_for_[usize(component)];
    for (std::uint64_t left = waits_for; left != 0; left &= left - 1) {
      const auto pe = static_cast<std::size_t>(std::countr_zero(left));
      ++counts.reads;
      counts.bytes += sizeof(Count);
      if (own_.missing[pe][usize(component)].load(std::memory_order_acquire) == 0)
        waits_for &= ~(std::uint64_t{1} << pe);
    }
    return waits_for == 0;
  }
  T sum(Index component, PeCounts& counts) override {
    T total = 0;
    for (std::uint64_t left = others_[usize(component)]; left != 0; left &= left - 1) {
      ++counts.reads;
      counts.bytes += sizeof(T);
      total += own_.sum[static_cast<std::size_t>(std::countr_zero(left))][usize(component)];
    }
    return total;
  }

 private:
  OwnSums<T> own_;
  // By component, a bit for each PE; those that are waited for are the owner's alone.
  std::vector<std::uint64_t> others_, waits_for_;
};

template <Scalar T>
class Push final : public Exchanger<T> {
 public:
  explicit Push(const Crossings& crossings)
      : own_(crossings), arrived_(own_.sum), groups_(groups(crossings)) {}

  void contribute(Index pe, Index component, T value, PeCounts& counts) override {
    if (!own_.add(pe, component, value)) return;
    ++counts.writes;
    counts.bytes += sizeof(T) + sizeof(Count);
    arrived_[usize(pe)][usize(component)] = own_.sum[usize(pe)][usize(component)];
    groups_[usize(component)].fetch_sub(1, std::memory_order_release);
  }
  bool complete(Index component, PeCounts&) override {
    return groups_[usize(component)].load(std::memory_order_acquire) == 0;
  }
  T sum(Index component, PeCounts&) override {
    T total = 0;
    for (const auto& of_pe : arrived_) total += of_pe[usize(component)];
    return total;
  }

 private:
  // By component: PEs that contribute.
  static Counters groups(const Crossings& crossings) {
    Counters counters(crossings.owner.size());
    for (const auto& of_pe : crossings.contributions) {
      for (std::size_t i = 0; i < of_pe.size(); ++i) counters[i] += of_pe[i] > 0 ? 1 : 0;
    }
    return counters;
  }

  OwnSums<T> own_;
  std::vector<std::vector<T>> arrived_;  // sums by the PE that put them, and component
  Counters groups_;
};

}  // namespace

PeCounts& PeCounts::operator+=(const PeCounts& other) {
  rows += other.rows;
  entries += other.entries;
  polls += other.polls;
  reads += other.reads;
  writes += other.writes;
  ordered += other.ordered;
  bytes += other.bytes;
  migrations += other.migrations;
  return *this;
}

template <Scalar T>
std::unique_ptr<Exchanger<T>> make_exchanger(Exchange exchange, const Crossings& crossings) {
  switch (exchange) {
    case Exchange::unified:
      return std::make_unique<Unified<T>>(crossings);
    case Exchange::get_update_put:
      return std::make_unique<GetUpdatePut<T>>(crossings);
    case Exchange::read_only:
      return std::make_unique<ReadOnly<T>>(crossings);
    case Exchange::push:
      return std::make_unique<Push<T>>(crossings);
  }
  throw std::logic_error("no such exchange");
}

#define INSTANTIATE(T) template std::unique_ptr<Exchanger<T>> make_exchanger(Exchange, const Crossings&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::component
