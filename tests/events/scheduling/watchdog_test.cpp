// Which watchdogs take a counter: lib/Kconfig.debug, kernel/watchdog_buddy.c and
// arch/arm64/kernel/watchdog_hld.c of Linux.

#include "events/scheduling/counters.hpp"

#include <gtest/gtest.h>

#include "support/temp_dir.hpp"

namespace evname::scheduling {
namespace {

constexpr const char* kPerf =
    "CONFIG_HARDLOCKUP_DETECTOR=y\nCONFIG_HARDLOCKUP_DETECTOR_PERF=y\n"
    "# CONFIG_HARDLOCKUP_DETECTOR_BUDDY is not set\n";
constexpr const char* kBuddy =
    "CONFIG_HARDLOCKUP_DETECTOR=y\n# CONFIG_HARDLOCKUP_DETECTOR_PERF is not set\n"
    "CONFIG_HARDLOCKUP_DETECTOR_BUDDY=y\n";
constexpr const char* kNone = "# CONFIG_HARDLOCKUP_DETECTOR is not set\n";
constexpr const char* kPseudoNmi = "CONFIG_ARM64_PSEUDO_NMI=y\n";

TEST(Watchdog, CountsIfItIsBuiltOnPerfAndItsInterruptIsAnNmi) {
  const std::string arm = std::string(kPerf) + kPseudoNmi;
  const struct {
    bool is_arm;
    std::string config, command_line;
    bool counts;
  } kCases[] = {
      {false, kPerf, "", true},
      {false, kBuddy, "", false},
      {false, kNone, "", false},
      {false, "", "", true},
      {false, kPerf, "irqchip.gicv3_pseudo_nmi=0", true},
      {true, kPerf, "quiet", false},
      {true, arm, "quiet", false},
      {true, arm, "quiet irqchip.gicv3_pseudo_nmi=1 ro\n", true},
      {true, arm, "irqchip.gicv3_pseudo_nmi=y", true},
      {true, arm, "irqchip.gicv3_pseudo_nmi=on", true},
      {true, arm, "irqchip.gicv3_pseudo_nmi=1 irqchip.gicv3_pseudo_nmi=0", false},
      {true, arm, "irqchip.gicv3_pseudo_nmis=1", false},
      {true, kPerf, "irqchip.gicv3_pseudo_nmi=1", false},
      {true, std::string(kBuddy) + kPseudoNmi, "irqchip.gicv3_pseudo_nmi=1", false},
      {true, "", "irqchip.gicv3_pseudo_nmi=1", true},
      {true, "", "", false},
  };
  for (const auto& c : kCases)
    EXPECT_EQ(watchdog_counts({c.is_arm, c.config, c.command_line}), c.counts)
        << c.is_arm << c.config << c.command_line;
}

TEST(Watchdog, OfATreeCountsIfItIsSwitchedOn) {
  for (const auto& [watchdog, counts] : {std::pair{"1\n", true}, std::pair{"0\n", false}}) {
    test::TempDir dir;
    dir.write("proc/sys/kernel/nmi_watchdog", watchdog);
    dir.write("proc/cmdline", "irqchip.gicv3_pseudo_nmi=1\n");
    EXPECT_EQ(watchdog_takes_counter({.sysfs = dir.path("sys"), .procfs = dir.path("proc")}),
              counts)
        << watchdog;
  }
}

}  // namespace
}  // namespace evname::scheduling
