// How cases end.
#include <csignal>
#include <stdexcept>
#include <string>
#include <unistd.h>

#include <probity.hpp>

static int small() { return probity_int_in(0, 9); }

PROBITY_TEST(passes) { PROBITY_LE(small(), 9); }
PROBITY_TEST(asserts) { PROBITY_LT(small(), 5) << "not small"; }
PROBITY_TEST(checks) {
  const int x = small();
  PROBITY_CHECK(x < 5);
  PROBITY_CHECK(x != 7);
}
PROBITY_TEST(throws) {
  if (small() == 4) throw std::out_of_range("beyond");
}
PROBITY_TEST(throws_a_number) {
  if (small() == 4) throw 7;
}
PROBITY_TEST(aborts) {
  if (small() == 4) abort();
}
PROBITY_TEST(raises) {
  if (small() == 4) raise(SIGFPE);
}
PROBITY_TEST(exits) {
  if (small() == 4) exit(3);
}
PROBITY_TEST(hangs) {
  volatile int x = small();
  while (x == 4) {
  }
}
PROBITY_TEST(overflows) {
  struct Deep {
    static int down(volatile int n) {
      volatile char room[4096];
      room[0] = static_cast<char>(n);
      return n == 4 ? down(n) + room[0] : n;
    }
  };
  Deep::down(small());
}
PROBITY_TEST(catches_all) {
  const std::string text = "a text that is too long to be kept in place";
  try {
    PROBITY_ASSUME(small() > 3);
    PROBITY_ASSERT(text.size() == 43);
  } catch (...) {
    PROBITY_ASSERT(!"what ends a case is not caught");
  }
}
PROBITY_TEST(ends_while_it_handles) {
  try {
    throw std::runtime_error("caught");
  } catch (const std::exception &) {
    PROBITY_ASSUME(small() > 3);
  }
}
PROBITY_TEST(rejects_all) { PROBITY_ASSUME(small() > 9); }
