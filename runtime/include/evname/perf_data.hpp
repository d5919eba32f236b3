#pragma once
// The name of recording.hpp before 0.2; it goes with the next release.

#include "evname/recording.hpp"
