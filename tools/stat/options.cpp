#include "stat/options.hpp"

#include <fmt/format.h>

namespace evname::tools {

Per StatOptions::per() const {
  if (per_thread) return Per::thread;
  if (per_cpu) return Per::cpu;
  if (per_core) return Per::core;
  if (per_cluster) return Per::cluster;
  if (per_die) return Per::die;
  if (per_socket) return Per::socket;
  return per_node ? Per::node : Per::all;
}

std::string StatOptions::mistake() const {
  const bool of_others = !pids.empty() || !tids.empty();
  if (of_others && of_cpus()) return "-p and -t count threads, -a, -C and -G CPUs: not both";
  if (!pids.empty() && !tids.empty()) return "-p and -t exclude each other";
  if (per_cpu + per_core + per_cluster + per_die + per_socket + per_node + per_thread > 1)
    return "only one of -A and the --per options can be given";
  if (per() == Per::thread && !of_others && !all_cpus)
    return "--per-thread counts threads of -p, -t or, with -a, all that there are";
  if (per() != Per::all && per() != Per::thread && of_others)
    return "-A and --per options count CPUs: add -a or -C, not -p or -t";
  if (repeat != 1 && (command.empty() || interval != 0))
    return "-r runs a command again, without -I";
  if (append && output.empty()) return "--append needs -o";
  if (openmetrics && (json || !separator.empty() || append))
    return "--openmetrics is a format of its own: without --json, -x and --append";
  if (json && !separator.empty()) return "--json and -x exclude each other";
  if (openmetrics && repeat != 1) return "--openmetrics counts one run";
  return "";
}

}  // namespace evname::tools
