#pragma once
// Public header: the version, by macros and by functions of the linked library.

#include "trisweep/core/version.hpp"
