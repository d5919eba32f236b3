#include "compiler/describe.hpp"

namespace evname::gen {
namespace {

std::string_view without_full_stop(std::string_view text) {
  for (const std::string_view end : {".  ", ". ", "."})
    if (text.ends_with(end)) text.remove_suffix(end.size());
  return text;
}

std::string remarks(const Object& object, std::string_view brief) {
  std::string out;
  const Field* errata = object.find("Errata");
  if (object.find("Data_LA")) out += "  Supports address when precise";
  if (object.find("Data_LA") && errata) out += '.';
  if (errata) out.append("  Spec update: ").append(errata->value);
  const std::string_view pebs = object.get("PEBS");
  if (!pebs.empty() && !brief.empty() && brief.find("(Precise Event)") == std::string_view::npos)
    out += pebs == "2" ? " (Must be precise)" : " (Precise event)";
  return out;
}

}  // namespace

Descriptions describe(const Object& object) {
  const std::string_view brief = without_full_stop(object.get("BriefDescription"));
  const std::string_view full = without_full_stop(object.get("PublicDescription"));
  const std::string more = remarks(object, brief);
  return {brief.empty() ? "" : std::string(brief) + more,
          full.empty() ? "" : std::string(full) + more};
}

}  // namespace evname::gen
