// The import of an event tree, as users of the library see it.

#include "compiler/import/import_tree.hpp"
#include "evname/import.hpp"

namespace evname {

ImportReport import_events(const ImportOptions& options) {
  gen::Diagnostics diagnostics;
  const gen::ImportReport done =
      gen::import_tree({options.from, options.into, options.architectures}, diagnostics);
  ImportReport report;
  report.architectures = done.taken.size();
  report.errors = diagnostics.count(gen::Severity::error);
  for (const gen::Diagnostic& one : diagnostics.all()) report.notes.push_back(diagnostics.text(one));
  if (report.architectures > 0) report.summary = gen::report_text(done);
  return report;
}

}  // namespace evname
