// Lines that would use an object after its end, or lose an error. Compilers refuse each of them for
// the reason behind it: refused_test.py defines REFUSED. The rest compiles.
#include <evname/evname.hpp>
#include <vector>

void lines(const evname::Recording& file, const evname::Machine& machine, evname::Sampler& sampler,
           const evname::Symbols& symbols, const evname::Counters& counters) {
  std::vector<evname::Address> stack;
  evname::Locations locations(file, symbols);
  evname::SampleScope functions(sampler, symbols);
  evname::CountScope counted(counters);
  machine.warnings();
  auto samples = file.samples();
  for (const evname::Sample& sample : samples) {
    locations.stack(sample, stack);
#ifdef REFUSED
    std::vector<evname::Sample> kept;
    kept.push_back(sample);        // deleted: it is a view of memory that the next sample gets
    evname::Sample copy = sample;  // deleted
#endif
  }
#ifdef REFUSED
  counters.enable();                                        // nodiscard: its error is lost
  evname::annotate(file, {}, {});                           // nodiscard
  machine.exact_name(evname::make_code(4, {0x20d1}));       // no matching|too few: the PMU
  evname::Locations named(file, evname::Symbols());         // deleted: a temporary
  evname::SampleScope sampled(sampler, evname::Symbols());  // deleted
  evname::CountScope scope(*evname::Counters::open(machine, "cycles"));  // deleted
  evname::Symbols copy = symbols;  // deleted: frames have views of it
  auto live = sampler.samples();   // deleted: the sampler's own range
#endif
}
