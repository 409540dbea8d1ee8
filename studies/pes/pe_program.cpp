#include "studies/pes/pe_program.hpp"

namespace trisweep::studies {
namespace {

template <Scalar T>
void add_column(PeProgram<T>& pe, const sptrsv::LowerSystem<T>& system, const matrix::Csr<T>& users,
                Index i) {
  pe.component.push_back(i);
  pe.number.push_back(system.number(i));
  if (!system.diagonal.empty()) pe.diagonal.push_back(system.diagonal[usize(i)]);
  for (const Offset e : users.pattern.entries(i)) {
    const Index user = users.pattern.col[usize(e)];
    pe.user.push_back(user);
    pe.value.push_back(users.value[usize(e)]);
    ++pe.missing[usize(user)];
  }
  pe.begin.push_back(static_cast<Offset>(pe.user.size()));
}

// Assigns a slot to each PE that contributes to a component of another PE.
template <Scalar T>
void number_arrivals(PePrograms<T>& programs) {
  for (PeProgram<T>& pe : programs.pe) pe.slot.assign(programs.owner.size(), 0);
  for (std::size_t i = 0; i < programs.owner.size(); ++i) {
    PeProgram<T>& own = programs.pe[usize(programs.owner[i])];
    Offset slot = own.arrival.back();
    for (PeProgram<T>& pe : programs.pe) {
      if (&pe == &own || pe.missing[i] == 0) continue;
      programs.foreign[i] += pe.missing[i];
      pe.slot[i] = slot++;
    }
    own.arrival.push_back(slot);
  }
}

}  // namespace

template <Scalar T>
PePrograms<T> pe_programs(const sptrsv::LowerSystem<T>& system, const matrix::Csr<T>& users,
                          const PeLayout& layout, const std::vector<Index>& pe_of_task, Exchange exchange) {
  const Index n = system.rows();
  PePrograms<T> programs{.exchange = exchange,
                         .owner = std::vector<Index>(usize(n)),
                         .foreign = std::vector<Degree>(usize(n)),
                         .pe = std::vector<PeProgram<T>>(static_cast<std::size_t>(layout.pes))};
  for (PeProgram<T>& pe : programs.pe) pe.missing.assign(usize(n), 0);
  for (Index i = 0; i < n; ++i) {
    const Index pe = programs.owner[usize(i)] = pe_of_task[usize(layout.task_of(i, n))];
    add_column(programs.pe[usize(pe)], system, users, i);
  }
  number_arrivals(programs);
  return programs;
}

#define INSTANTIATE(T)                                                                                      \
  template PePrograms<T> pe_programs(const sptrsv::LowerSystem<T>&, const matrix::Csr<T>&, const PeLayout&, \
                                     const std::vector<Index>&, Exchange);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::studies
