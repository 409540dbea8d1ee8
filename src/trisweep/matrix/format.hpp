#pragma once
// The format of a matrix file, told from its content.

#include "trisweep/matrix/byte_reader.hpp"

namespace trisweep::matrix {

enum class FileFormat { matrix_market, harwell_boeing, petsc_binary };

// Skips the byte order mark of a UTF-8 file, if there is one. Throws InputError for an empty file.
FileFormat detect_format(ByteReader& source);

}  // namespace trisweep::matrix
