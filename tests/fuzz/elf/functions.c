typedef int (*fn)(int);
extern int other(int);
extern int hidden_elsewhere(int) __attribute__((weak));
static inline __attribute__((always_inline)) int twice(int x) {
  if (x > 3) {
    int y = x * 2;
    return other(y);
  }
  return x;
}
static __attribute__((noinline)) int local(int x) { return twice(x) + other(x + 1); }
int first(int x) {
  volatile int a[4] = {x, x, 1, 2};
  return local(a[1]) + twice(a[2] + a[0]);
}
#ifdef IFUNC
static int chosen(int x) { return x + 1; }
static fn choose(void) { return chosen; }
static int third(int x) __attribute__((ifunc("choose")));
#else
static int third(int x) { return x; }
#endif
int second(int x) {
  fn f = other;
  return f(first(x)) + (hidden_elsewhere ? hidden_elsewhere(x) : third(x));
}
