// A topic file, compiled into tables as part of a small tree.

#include "events/compiler/build_tables.hpp"
#include "fuzz/input.hpp"
#include "fuzz/target.hpp"
#include "gen/emit.hpp"
#include "support/temp_dir.hpp"

namespace evname::fuzz::topic_target {

FUZZ_TARGET(topic, data, size) {
  static const evname::test::TempDir dir{
      {"x86/mapfile.csv", "Family-model,Version,Filename,EventType\nGenuineIntel-6-1,v1,m,core\n"},
      {"x86/standard.json", R"([{"EventName":"STD","EventCode":"0x1"}])"}};
  const std::string roots[] = {dir.path()};
  dir.write("x86/m/topic.json", evname::fuzz::text_of(data, size));
  evname::trees::Diagnostics diagnostics;
  for (const auto& trees : evname::compiler::group_by_architecture(roots, diagnostics)) {
    evname::gen::emit_architecture(evname::compiler::build_tables(trees, diagnostics));
    for (const auto& diagnostic : diagnostics.all()) diagnostics.text(diagnostic);
  }
  return 0;
}

}  // namespace evname::fuzz::topic_target
