#pragma once
// Exceptions for misuse and environment. Numerical outcomes are typed results, not exceptions, except where a
// stage cannot produce its result at all (a structurally singular matrix has no ordering).

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace trisweep {

// What went wrong, in the terms of the command line's exit status.
enum class ErrorKind {
  usage,        // wrong call or options: exit status 2
  input,        // bad file or data: exit status 2
  environment,  // memory, disk, MPI: exit status 2
  numerical,    // singular, not converged: exit status 1
};

// The base class of all exceptions of the library.
class Error : public std::runtime_error {
 public:
  // `message` says what is wrong and where; `remedy` what the user can do about it (may be empty). The
  // constructor throws only std::bad_alloc.
  Error(ErrorKind kind, const std::string& message, const std::string& remedy = {});

  // What went wrong.
  ErrorKind kind() const { return kind_; }
  // Exit status of a program that ends with this error.
  int exit_status() const { return kind_ == ErrorKind::numerical ? 1 : 2; }

 private:
  ErrorKind kind_;
};

// A defect of an input file: "FILE:LINE: message". `line` counts from 1; 0 means the file as a whole.
class InputError : public Error {
 public:
  // `file` and `line` come before `message`; `remedy` and errors as for Error.
  InputError(const std::filesystem::path& file, std::int64_t line, const std::string& message,
             const std::string& remedy = {});
};

}  // namespace trisweep
