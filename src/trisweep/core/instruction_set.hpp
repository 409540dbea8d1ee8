#pragma once
// Code that is compiled once per instruction set (trisweep_instruction_sets() in cmake), in a namespace named
// after it, and selected at run time.

// The instruction set of this translation unit; without one, that of ordinary translation units.
#ifndef TRISWEEP_ISA
#define TRISWEEP_ISA baseline
#endif

#if defined(TRISWEEP_ONLY_ISA)  // the library is built for a single one
#define TRISWEEP_FOR_EACH_ISA(MACRO) MACRO(TRISWEEP_ONLY_ISA)
#elif defined(__x86_64__)
#define TRISWEEP_FOR_EACH_ISA(MACRO) MACRO(x86_64_v4) MACRO(x86_64_v3) MACRO(baseline)
#else
#define TRISWEEP_FOR_EACH_ISA(MACRO) MACRO(baseline)
#endif

// The function of the given name in the namespace of the best instruction set of this processor.
#if defined(TRISWEEP_ONLY_ISA)
#define TRISWEEP_BEST_ISA(...) TRISWEEP_ONLY_ISA::__VA_ARGS__
#elif defined(__x86_64__)
#define TRISWEEP_BEST_ISA(...)                                       \
  (trisweep::instruction_set::x86_64_v4()   ? x86_64_v4::__VA_ARGS__ \
   : trisweep::instruction_set::x86_64_v3() ? x86_64_v3::__VA_ARGS__ \
                                            : baseline::__VA_ARGS__)
#else
#define TRISWEEP_BEST_ISA(...) baseline::__VA_ARGS__
#endif

// Whether this processor supports the instruction set that a function is named after.
namespace trisweep::instruction_set {

#if !defined(__x86_64__)
inline bool x86_64_v3() {
  return false;
}
inline bool x86_64_v4() {
  return false;
}
#elif defined(__clang__)  // clang knows the levels by name only since version 18
inline bool x86_64_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("fma");
}
inline bool x86_64_v4() {
  return x86_64_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#else
inline bool x86_64_v3() {
  return __builtin_cpu_supports("x86-64-v3") != 0;
}
inline bool x86_64_v4() {
  return __builtin_cpu_supports("x86-64-v4") != 0;
}
#endif
inline bool baseline() {
  return true;
}

}  // namespace trisweep::instruction_set
