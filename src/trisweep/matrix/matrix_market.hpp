#pragma once
// Matrix Market exchange format (Boisvert, Pozo, Remington, NISTIR 5935, 1996): coordinate and array files of
// every field (real, double, integer, complex, pattern) and symmetry.
//
// More lenient than the format: any case, blank and comment lines anywhere, CR LF, leading plus signs,
// Fortran exponents. As strict as the format: one entry a line, nothing after it, exactly the declared count.

#include "trisweep/matrix/any_matrix.hpp"
#include "trisweep/matrix/line_reader.hpp"
#include "trisweep/matrix/matrix_market_header.hpp"

namespace trisweep::matrix {

// Reads from the banner on. Entries of a `pattern` become 1; symmetric files give both triangles; zeros of an
// array file are not stored.
AnyCsr read_matrix_market(LineReader& lines);
// The same behind the header, as a dense matrix: coordinate files too, when the result stays small.
AnyDense read_matrix_market_dense(LineReader& lines, const MatrixMarketHeader& header);
constexpr std::size_t shortest_array_line = 2;  // "1\n"
// The next column, whose number is `column`, of a general array file; all columns are read in order.
template <Scalar T>
std::vector<T> read_matrix_market_column(LineReader& lines, const MatrixMarketHeader& header, Index column);

// The stored entries of an uncompressed coordinate file with this header whose lines begin in bytes
// [begin, end), all of them behind the header. Throws InputError, whose line is counted from there.
template <Scalar T>
Triplets<T> read_matrix_market_part(ByteReader& source, const MatrixMarketHeader& header, std::size_t begin,
                                    std::size_t end);

}  // namespace trisweep::matrix
