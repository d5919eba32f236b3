#pragma once
// The whole public C++ interface.

#include "evname/annotate.hpp"
#include "evname/counters.hpp"
#include "evname/encoding.hpp"
#include "evname/error.hpp"
#include "evname/machine.hpp"
#include "evname/metric.hpp"
#include "evname/pass.hpp"
#include "evname/perf_data.hpp"
#include "evname/profile.hpp"
#include "evname/report.hpp"
#include "evname/rewrite.hpp"
#include "evname/sample_filter.hpp"
#include "evname/schedule.hpp"
#include "evname/symbols.hpp"
#include "evname/topdown.hpp"
#include "evname/version.h"
