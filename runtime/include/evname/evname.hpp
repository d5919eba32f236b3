#pragma once
// The whole public C++ interface except <evname/perf_event.hpp>, which includes a kernel header.

#include "evname/annotate.hpp"
#include "evname/counts.hpp"
#include "evname/encoding.hpp"
#include "evname/error.hpp"
#include "evname/event_text.hpp"
#include "evname/import.hpp"
#include "evname/inject.hpp"
#include "evname/json.hpp"
#include "evname/machine.hpp"
#include "evname/metric.hpp"
#include "evname/models.hpp"
#include "evname/perf_data.hpp"
#include "evname/report.hpp"
#include "evname/roots.hpp"
#include "evname/schedule.hpp"
#include "evname/suggest.hpp"
