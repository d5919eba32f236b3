#pragma once
// Everything of evname's public C++ interface.

#include "evname/annotate.hpp"
#include "evname/counts.hpp"
#include "evname/encoding.hpp"
#include "evname/error.hpp"
#include "evname/machine.hpp"
#include "evname/metric.hpp"
#include "evname/perf_data.hpp"
#include "evname/roots.hpp"
#include "evname/schedule.hpp"
