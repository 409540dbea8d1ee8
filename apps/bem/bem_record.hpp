#pragma once
// The record of a boundary element problem (docs/run-record.md describes the fields).

#include "apps/bem/electrostatics.hpp"
#include "trisweep/report/run_record.hpp"

namespace trisweep::bem {

struct BemRecord {
  std::string version;
  std::string object;
  Index elements = 0;
  MeshRepairs repairs;
  std::string method;
  std::string preconditioner;
  double tolerance = 0;
  Index ranks = 1;
  int threads = 1;  // of each rank
  std::optional<double> exact_charge;
  ChargeResult result;
  report::MachineRecord machine;

  // Not finite if there is no exact charge, or it is zero.
  double charge_relative_error() const;
  // Bytes relative to those of the dense matrix.
  double dense_fraction() const;
  bool solved() const { return result.solve.outcome == krylov::Outcome::converged; }
};

std::string to_json(const BemRecord& record);

// A few lines for users: size, times, charge.
std::string summary(const BemRecord& record);
// Reason why there is no solution, with a remedy.
std::string verdict(const BemRecord& record);

}  // namespace trisweep::bem
