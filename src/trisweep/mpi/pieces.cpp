#include "trisweep/mpi/pieces.hpp"

#include <array>

#include "trisweep/mpi/communicator.hpp"

namespace trisweep::mpi {

// As many blocks of limits.bytes bytes as fit, followed by the rest.
void Extent::make_type(std::size_t bytes, const Limits& limits) {
  const std::size_t blocks = bytes / limits.bytes, rest = bytes % limits.bytes;
  MPI_Datatype block = MPI_DATATYPE_NULL, many = MPI_DATATYPE_NULL;
  check(MPI_Type_contiguous(static_cast<int>(limits.bytes), MPI_BYTE, &block), "MPI_Type_contiguous");
  check(MPI_Type_contiguous(static_cast<int>(blocks), block, &many), "MPI_Type_contiguous");
  const std::array<int, 2> counts{1, static_cast<int>(rest)};
  const std::array<MPI_Aint, 2> places{0, static_cast<MPI_Aint>(blocks * limits.bytes)};
  const std::array<MPI_Datatype, 2> types{many, MPI_BYTE};
  check(MPI_Type_create_struct(2, counts.data(), places.data(), types.data(), &type_),
        "MPI_Type_create_struct");
  check(MPI_Type_commit(&type_), "MPI_Type_commit");
  MPI_Type_free(&many);
  MPI_Type_free(&block);
  count_ = 1;
}

std::size_t bytes_of(MPI_Status status) {
  int count = 0;
  check(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
  if (count != MPI_UNDEFINED) return static_cast<std::size_t>(count);
  MPI_Count bytes = 0;
  check(MPI_Get_elements_x(&status, MPI_BYTE, &bytes), "MPI_Get_elements_x");
  return static_cast<std::size_t>(bytes);
}

RowType::RowType(std::size_t bytes) {
  check(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type_), "MPI_Type_contiguous");
  check(MPI_Type_commit(&type_), "MPI_Type_commit");
}

}  // namespace trisweep::mpi
