// Callers from copies of this program's own stack, beside the callers that the compiler's library
// finds.

#include "recordings/unwinding/unwinder.hpp"

#include <gtest/gtest.h>

#include "recordings/symbols/own_mapping.hpp"

#if defined(__x86_64__) && defined(__GLIBC__)
#include <pthread.h>
#include <ucontext.h>
#include <unwind.h>

namespace evname::unwinding {
namespace {

/// Copies what AddressSanitizer has between variables, too.
__attribute__((no_sanitize_address)) std::vector<std::uint8_t> copy_of_stack(
    const std::uint8_t* top, const std::uint8_t* end) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(end - top));
  const volatile std::uint8_t* from = top;
  for (std::size_t i = 0; i < out.size(); ++i) out.data()[i] = from[i];
  return out;
}

TEST(Unwinder, FindsTheCallsThatExceptionsWouldPass) {
  if (!Symbols::reads_elf()) GTEST_SKIP() << "this build has no elfutils";
  std::vector<std::uint64_t> returns;
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* out) {
        if (const auto address = _Unwind_GetIP(frame); address != 0)
          static_cast<std::vector<std::uint64_t>*>(out)->push_back(address);
        return _URC_NO_REASON;
      },
      &returns);
  ucontext_t context;
  ASSERT_EQ(::getcontext(&context), 0);
  std::vector<std::uint64_t> registers;  // PERF_REG_X86_AX to R15, without segments
  for (const int number :
       {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP, REG_R8,
        REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15})
    registers.push_back(static_cast<std::uint64_t>(context.uc_mcontext.gregs[number]));
  pthread_attr_t attributes;
  void* stack = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
  ASSERT_EQ(pthread_attr_getstack(&attributes, &stack, &size), 0);
  pthread_attr_destroy(&attributes);
  const auto* top = reinterpret_cast<const std::uint8_t*>(registers[7]);
  const auto* end = static_cast<const std::uint8_t*>(stack) + size;
  const std::vector<std::uint8_t> copied = copy_of_stack(top, end);

  const Symbols symbols({.cache = "/nonexistent"});
  Unwinder unwinder(symbols);
  StackCopy copy{.pid = 1,
                 .tid = 1,
                 .arch = "x86_64",
                 .mask = 0xff01ff,
                 .registers = registers,
                 .stack = copied};
  for (copy.generation = 0; copy.generation < 2;
       ++copy.generation) {  // from files, and from memory
    std::vector<std::uint64_t> calls;
    unwinder.unwind(copy, test::own_mapping, 256, calls);
    ASSERT_EQ(calls.size(), returns.size());
    EXPECT_EQ(calls[0], registers[8]);
    for (std::size_t i = 1; i < returns.size(); ++i) EXPECT_EQ(calls[i] + 1, returns[i]) << i;
  }
  std::vector<std::uint64_t> some;
  unwinder.unwind(copy, test::own_mapping, 2, some);
  EXPECT_EQ(some.size(), 2);
  const auto* frame = static_cast<const std::uint8_t*>(__builtin_frame_address(0));
  copy.stack = copy.stack.first(static_cast<std::size_t>(frame - top));  // ends before the caller
  some.clear();
  unwinder.unwind(copy, test::own_mapping, 256, some);
  EXPECT_EQ(some, std::vector<std::uint64_t>{registers[8]});
}

}  // namespace
}  // namespace evname::unwinding
#endif
