#include "trisweep/device/local_pes.hpp"

#include <typeindex>

namespace trisweep::device {

template <Scalar T>
LocalPes<T>::LocalPes(std::span<const Program> programs, Index nrhs, const LocalPesOptions<T>& options)
    : device_(options.device),
      pool_(options.pool),
      scheduling_(options.scheduling),
      heap_(options.heap),
      group_(options.device, options.devices),
      beside_(options.device),
      memory_(options.memory.begin(), options.memory.end()),
      part_(group_.size()) {
  const auto pes = static_cast<Index>(memory_.empty() ? programs.size() : memory_.size());
  for (std::size_t p = 0; p < programs.size(); ++p) {
    const std::size_t place = group_.place_of(static_cast<Index>(p));
    std::byte* const shared =
        memory_.empty() ? nullptr : reinterpret_cast<std::byte*>(memory_[usize(programs[p].pe)].control);
    part_[place].pe.push_back(p);
    group_.on(place, [&] {
      pe_.emplace_back(device_, programs[p], pes, nrhs, options.data.empty() ? PeData<T>{} : options.data[p],
                       shared, heap_);
    });
  }
  if (memory_.empty())
    for (const LocalPe<T>& pe : pe_) memory_.push_back(pe.shared());
  for (std::size_t i = 0; i < part_.size(); ++i)
    group_.on(i, [&] {
      part_[i].memory = {device_, std::span(std::as_const(memory_))};
      if (scheduling_ == Scheduling::block_for_each)
        part_[i].messages.emplace(
            DeviceArray<Count>(device_, usize(programs[part_[i].pe.front()].messages())),
            backend::Stream(device_), backend::Event(device_));
    });
}

template <Scalar T>
template <class Side>
void LocalPes<T>::use(std::span<const PanelsBySide<Side>> panels) {
  using Here = InKernels<Side>;
  const auto use_peers = [&]<class Peers, class One, class Any>(std::type_identity<Peers>,
                                                                Kernels<One, Any>) {
    use_kernels<One, Any, Pe<Here, Number, Peers>>([&](std::size_t p, const Part& part, int workers) {
      Peers peers;
      peers.pe = part.memory.data();
      peers.count = static_cast<Index>(memory_.size());
      peers.me = pe_[p].program().pe;
      if constexpr (requires { peers.taken; }) peers.taken = part.messages->taken.data();
      return pe_[p].view(panels[p], peers, workers);
    });
  };
  const auto use_workers = [&]<class Peers>(std::type_identity<Peers> peers) {
    if constexpr (std::is_pointer_v<Here>) {
      using Items = RunItems<Here, Number, Peers>;
      if (scheduling_ == Scheduling::block_for_each)
        return use_peers(std::type_identity<TakenMessages<Peers>>(), Kernels<Items, Items>());
    }
    use_peers(peers,
              Kernels<RunWorkers<Here, Number, Peers, 1>, RunWorkers<Here, Number, Peers, widest_tile>>());
  };
  if (heap_ != nullptr) return use_workers(std::type_identity<HeapPeers<Number>>());
  use_workers(std::type_identity<DirectPeers<Number>>());
}

template <Scalar T>
template <class One, class Any, class View>
void LocalPes<T>::use_kernels(const std::function<View(std::size_t, const Part&, int)>& view) {
  struct OfPart {
    int workers_of_one, workers_of_any;
    std::vector<View> here;
    DeviceArray<const View> there;
  };
  const auto parts = std::make_shared<std::vector<OfPart>>(part_.size());
  for (std::size_t i = 0; i < part_.size(); ++i)
    group_.on(i, [&] {
      OfPart& of = (*parts)[i];
      of.workers_of_one = workers_of<One>(part_[i]);
      of.workers_of_any = workers_of<Any>(part_[i]);
      for (const std::size_t p : part_[i].pe)
        of.here.push_back(view(p, part_[i], std::max(of.workers_of_one, of.workers_of_any)));
      of.there = {device_, std::span(std::as_const(of.here))};
    });
  launch_ = [this, parts](const Launch& of) {
    const OfPart& part = (*parts)[of.part];
    const auto run = [&]<class Body>(std::type_identity<Body>, int workers) {
      const int count = static_cast<int>(part.here.size());
      const Body body{{part.there.data(), count, of.solve, of.callers}};
      if constexpr (Body::is_persistent) {
        launch(body, workers * count, of);
      } else {
        launch_beside_messages(body, workers * count, of);
      }
      return workers;
    };
    return of.solve.nrhs == 1 ? run(std::type_identity<One>(), part.workers_of_one)
                              : run(std::type_identity<Any>(), part.workers_of_any);
  };
}

template <Scalar T>
template <class Body>
int LocalPes<T>::workers_of(const Part& part) const {
  if constexpr (!Body::is_persistent) {
    return static_cast<int>(pe_[part.pe.front()].program().item.size());
  } else {
    int resident = 0;
    if constexpr (Body::puts_to_heap) {
      resident = backend::runtime(device_).resident_blocks(heap_->kernel_of(typeid(Body)), Body::threads);
    } else {
      resident = backend::resident_blocks<Body>({device_, pool_});
    }
    return backend::blocks_of_each(resident, static_cast<int>(part.pe.size()), most_pes_of_device);
  }
}

template <Scalar T>
template <class Body>
void LocalPes<T>::launch(const Body& body, int blocks, const Launch& of) const {
  const backend::Queue queue{device_, pool_, of.stream};
  if constexpr (Body::puts_to_heap) {
    launch_on_heap(body, blocks, of.stream);
  } else if constexpr (Body::is_persistent) {
    backend::launch_together(queue, body, blocks, of.poll);
  } else {
    backend::launch(queue, body, blocks);
  }
}

// Launches the kernel that takes messages in a stream of its own, for which the other kernel's stream waits
// at its end.
template <Scalar T>
template <class Body>
void LocalPes<T>::launch_beside_messages(const Body& body, int blocks, const Launch& of) const {
  const MessagesBeside& messages = *part_[of.part].messages;
  void* const beside = messages.stream.get();
  launch(typename Body::Beside{body}, body.count, {of.part, of.solve, of.callers, beside, of.poll});
  messages.done.record(beside);
  launch(body, blocks, of);
  messages.done.wait_in(of.stream);
}

template <Scalar T>
template <class Body>
void LocalPes<T>::launch_on_heap(Body body, int blocks, void* stream) const {
  void* arguments[] = {&body};
  const void* const kernel = heap_->kernel_of(typeid(Body));
  const auto count = static_cast<unsigned>(blocks), threads = static_cast<unsigned>(Body::threads);
  // PEs have different launch boundaries, so such a launch does not include all PEs; their blocks are
  // resident anyway.
  if (Body::is_persistent && pe_.front().program().boundary.empty()) {
    heap_->launch(kernel, count, threads, arguments, stream);
  } else {
    backend::runtime(device_).launch(kernel, count, threads, arguments, Body::is_persistent, stream);
  }
}

template <Scalar T>
void LocalPes<T>::solve(Index nrhs, std::span<const PeVectors<T>> vectors, double watchdog, void* stream,
                        const ExchangeMessages& exchange, const Poll& poll) {
  const Solve<Number> solve{.nrhs = nrhs,
                            .number = ++solves_,
                            .end = 0,
                            .ended = 0,
                            .watchdog = static_cast<Count>(watchdog * 1e9)};
  group_.run(stream, [&](std::size_t i, void* here) {
    if (!part_[i].pe.empty()) start(i, vectors, solve, here, exchange, poll);
  });
}

template <Scalar T>
void LocalPes<T>::start(std::size_t i, std::span<const PeVectors<T>> vectors, Solve<Number> solve,
                        void* stream, const ExchangeMessages& exchange, const Poll& poll) {
  Part& part = part_[i];
  AllCallers<Number> callers{};
  for (std::size_t p = 0; p < part.pe.size() && !vectors.empty(); ++p)
    callers.of[p] = pe_[part.pe[p]].bring_in(vectors[part.pe[p]], stream);
  const Program& program = pe_[part.pe.front()].program();
  for (std::size_t stop = 0; stop <= program.boundary.size(); ++stop) {
    solve.end = stop < program.boundary.size() ? program.boundary[stop].item : all_items;  // for each PE
    solve.ended = part.ended;
    part.ended += usize(launch_({i, solve, callers, stream, poll}));
    for (const std::size_t p : part.pe) pe_[p].record(solve.nrhs, stream);
    if (stop < program.boundary.size()) exchange(program.boundary[stop]);
  }
  for (std::size_t p = 0; p < part.pe.size() && !vectors.empty(); ++p)
    pe_[part.pe[p]].bring_out(vectors[part.pe[p]], stream);
}

template <Scalar T>
void LocalPes<T>::stop() const {
  static constexpr Count failed = 1;
  for (const LocalPe<T>& pe : pe_) {
    Count* const word = &pe.shared().control->failed;
    if (heap_ != nullptr) {
      heap_->set_everywhere(word, failed, beside_.get());
    } else {
      backend::copy(device_, word, &failed, 1, beside_.get());
    }
  }
  backend::runtime(device_).wait(beside_.get());
}

#define INSTANTIATE(T)        \
  template class LocalPes<T>; \
  template void LocalPes<T>::use(std::span<const PanelsBySide<NoPanels>>);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

#define INSTANTIATE_STORAGE(S, T)                                 \
  template void LocalPes<T>::use(std::span<const PanelSpans<S>>); \
  template void LocalPes<T>::use(std::span<const PanelsBySide<PieceSpan<S>>>);
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE_STORAGE)

}  // namespace trisweep::device
