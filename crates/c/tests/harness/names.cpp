// Every name of the C++ interfaces, used once.
#include <deepstate/DeepState.hpp>

using namespace deepstate;

struct Point {
  int x, y;
};

class Fixture : public deepstate::Test {
 public:
  void SetUp() { is_set_up = true; }
  void TearDown() { is_set_up = false; }
  bool is_set_up = false;
  Symbolic<int> x;
};

TEST_F(Fixture, IsSetUp) { ASSERT_TRUE(is_set_up) << "x is " << x; }
PROBITY_TEST_F(Fixture, also_here) { PROBITY_ASSERT(is_set_up); }

PROBITY_TEST(own_names) {
  const int a = probity::draw<int>(), b = probity::draw(1, 6);
  const auto c = probity::draw<std::vector<std::pair<bool, std::string>>>();
  const auto d = probity::draw_list<std::vector<unsigned char>>(1, 3);
  const std::string e = probity::draw_string(0, 4, "ab");
  const Point f = probity::draw<Point>();
  const double g = probity::draw<double>();
  const char h = probity::draw<char>();
  PROBITY_EQ(a, a);
  PROBITY_NE(b, 7) << "b is " << b;
  PROBITY_LT(b, 7);
  PROBITY_LE(b, 6);
  PROBITY_GT(b, 0);
  PROBITY_GE(b, 1);
  PROBITY_ASSERT(d.size() >= 1 && d.size() <= 3 && e.find('c') == std::string::npos);
  int n = 0;
  probity::steps(0, 3, [&] { PROBITY_ONE_OF([&] { n += 1; }, [&] { n += probity::draw(1, 2); }); });
  PROBITY_CHECK(n <= 6 && probity::pump(n) == n && c.size() <= 32);
  (void)f, (void)g, (void)h;
}

TEST(Names, Values) {
  symbolic_char a;
  symbolic_short b;
  symbolic_int c, c2(4);
  symbolic_unsigned d;
  symbolic_long e;
  symbolic_int8_t f;
  symbolic_uint8_t g;
  symbolic_int16_t h;
  symbolic_uint16_t i;
  symbolic_int32_t j;
  symbolic_uint32_t k;
  symbolic_int64_t l;
  symbolic_uint64_t m;
  symbolic_bool n;
  symbolic_float o;
  symbolic_double p;
  Symbolic<std::string> q, q2(3);
  Symbolic<std::wstring> r;
  Symbolic<std::vector<int>> s;
  Symbolic<Point> t;
  ASSERT_EQ(q2.value.size(), 3u);
  const std::string text = q;
  const std::vector<int> list = s;
  CHECK_LE(list.size(), 32u);
  d = 4u;
  d += 2;
  d -= 1;
  d *= 2;
  d /= 5;
  d <<= 3;
  d >>= 1;
  d %= 5;
  d |= 8u;
  d &= 15u;
  d ^= 1u;
  ++d;
  d++;
  --d;
  d--;
  ASSERT_EQ(c2, 4);
  ASSERT_EQ(d, 10u) << d;
  LOG(INFO) << a << b << c << e << f << g << h << i << j << k << l << m << n << o << p << r.value.size() << t.value.x;
  (void)text;
  void *held = Malloc(2);
  SymbolizeData(held, static_cast<char *>(held) + 2);
  free(held);
  (void)Bool(), (void)Size(), (void)UInt64(), (void)Int64(), (void)UInt(), (void)Int(), (void)UShort(), (void)Short();
  (void)UChar(), (void)Char(), (void)Float(), (void)Double();
  ASSERT(!IsSymbolic(d.value) && !IsSymbolic(1.0) && !IsSymbolic('a'));
}

TEST(Names, Comparisons) {
  const int x = DeepState_IntInRange(1, 3);
  const unsigned y = 5;
  ASSUME(x > 0) << "positive";
  ASSUME_TRUE(x > 0);
  ASSUME_FALSE(x > 3);
  ASSUME_EQ(x, x);
  ASSUME_NE(x, 4);
  ASSUME_LT(x, y);
  ASSUME_LE(x, y);
  ASSUME_GT(y, x);
  ASSUME_GE(y, x);
  ASSERT(x > 0) << "positive";
  ASSERT_TRUE(x > 0);
  ASSERT_FALSE(x > 3);
  ASSERT_EQ(x, x);
  ASSERT_NE(x, y) << x << y;
  ASSERT_LT(x, y);
  ASSERT_LE(x, y);
  ASSERT_GT(y, x);
  ASSERT_GE(y, x);
  CHECK(x > 0) << "positive";
  CHECK_TRUE(x > 0);
  CHECK_FALSE(x > 3);
  CHECK_EQ(x, x);
  CHECK_NE(std::string("a"), "b");
  CHECK_LT(x, y);
  CHECK_LE(x, y);
  CHECK_GT(y, x);
  CHECK_GE(y, x);
  ASSERT_EQ(true, x > 0);
  ASSERT_NE(&x, nullptr);
  check(x > 0);
  assume(x > 0);
  assert(x > 0);
  if (x > 0) ASSERT(true);
}

static int twice(int x) { return 2 * x; }
static void even(int x) { ASSERT_EQ(twice(x & 0xff) % 2, 0); }

TEST(Names, Choices) {
  int n = 0;
  int items[] = {1, 2, 3};
  std::vector<int> list = {4, 5};
  ForAll(even);
  ForAll<int, std::vector<char>>([](int x, std::vector<char> its) {
    ASSERT_LE(its.size(), 32u);
    ASSERT_EQ(x, x);
  });
  OneOf([&] { n = 1; }, [&] { n = 2; });
  ONE_OF([&] { n = 1; }, [&] { n = 2; });
  NoSwarmOneOf([&] { n = 1; }, [&] { n = 2; });
  PureSwarmOneOf([&] { n = 1; }, [&] { n = 2; });
  MixedSwarmOneOf([&] { n = 1; }, [&] { n = 2; });
  ProbSwarmOneOf([&] { n = 1; }, [&] { n = 2; });
  ASSERT(n == 1 || n == 2);
  const char c = OneOf("abc");
  const char *text = "xy";
  ASSERT((c >= 'a' && c <= 'c') && OneOf(text) >= 'x');
  ASSERT(OneOf(items) <= 3 && OneOf(list) >= 4);
  OneOfP(0.1, [&] { n = 3; }, -1, [&] { n = 4; }, -1, [&] { n = 5; });
  ASSERT(n >= 3);
  ASSERT(OneOfP({0.1, 0.2}, items) <= 3);
  ASSERT(OneOfP({-1, 0.9}, list) >= 4);
  ASSERT(Pump(n) == n && Pump(n, 3) == n && MaxPump(n) == n && MinMaxPump(n) == n);
  ASSERT(Minimize(n) == n && Maximize(n) == n);
  symbolic_unsigned s;
  ASSERT(Pump(s, 2) == s);
  MAYBE(n = 0, n = 1);
}

TEST(Names, Texts) {
  char buffer[5] = "abcd";
  DeepState_AssignCStr(buffer, 4);
  DeepState_AssignCStr(buffer, 4, "xy");
  DeepState_AssignCStrUpToLen(buffer, 4);
  DeepState_AssignCStrUpToLen(buffer, 4, "xy");
  DeepState_SymbolizeCStr(buffer);
  DeepState_SymbolizeCStr(buffer, "xy");
  ASSERT_EQ(strlen(DeepState_CStr(3)), 3u);
  ASSERT_EQ(strlen(DeepState_CStr(3, "xy")), 3u);
  ASSERT_LE(strlen(DeepState_CStrUpToLen(3)), 3u);
  ASSERT_LE(strlen(DeepState_CStrUpToLen(3, "xy")), 3u);
#define FORMS(Way)                                     \
  DeepState_##Way##AssignCStr(buffer, 4);              \
  DeepState_##Way##AssignCStrUpToLen(buffer, 4, "xy"); \
  DeepState_##Way##SymbolizeCStr(buffer);              \
  ASSERT_EQ(strlen(DeepState_##Way##CStr(3)), 3u);     \
  ASSERT_LE(strlen(DeepState_##Way##CStrUpToLen(3, "xy")), 3u);
  FORMS(NoSwarm)
  FORMS(PureSwarm)
  FORMS(MixedSwarm)
  FORMS(ProbSwarm)
}

TEST(Names, Logs) {
  LOG(DEBUG) << 1;
  LOG(TRACE) << 'a' << nullptr;
  LOG(INFO) << 1.5;
  LOG(WARNING) << "text";
  LOG(WARN) << std::string("text");
  LOG_IF(ERROR, false) << "never";
  LOG_IF(FATAL, false) << "never";
  LOG_IF(CRITICAL, false) << "never";
  DeepState_LogFormat(DeepState_LogInfo, "%s", "text");
}

DeepState_EntryPoint(PlainName) { DeepState_Assert(true); }
