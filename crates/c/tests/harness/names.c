/* Every name of the C interfaces, used once. */
#include <deepstate/Klee.h>

PROBITY_TEST(draws) {
  signed char a = probity_schar();
  unsigned char b = probity_uchar();
  char c = probity_char();
  short d = probity_short();
  unsigned short e = probity_ushort();
  int f = probity_int();
  unsigned g = probity_uint();
  long h = probity_long();
  unsigned long i = probity_ulong();
  size_t j = probity_size();
  int k = probity_int_in(1, 6);
  unsigned l = probity_uint_in(1, 6);
  long m = probity_long_in(-6, 6);
  size_t n = probity_size_in(1, 6);
  int o = probity_flag();
  double p = probity_real(), q = probity_real_in(0, 1);
  float r = probity_float(0, 1, 0, PROBITY_HERE);
  char *s = probity_cstring(8), *t = probity_cstring_of(8, "ab");
  size_t u = probity_choice(3), size = 0;
  char text[5];
  unsigned char *data = (unsigned char *)probity_data(0, 4, &size, PROBITY_HERE);
  probity_text(text, 4, "xyz", PROBITY_HERE);
  probity_bytes(data, size, 1, PROBITY_HERE);
  PROBITY_ASSUME(k < 6);
  PROBITY_ASSERT(k >= 1 && k < 6 && l - 1 < 6 && m >= -6 && m <= 6 && n - 1 < 6 && u < 3 && size <= 4);
  PROBITY_CHECK(q >= 0 && q <= 1 && r >= 0 && r <= 1 && p == p && strlen(s) <= 8 && strspn(t, "ab") == strlen(t));
  PROBITY_ASSERT((o == 0 || o == 1) && strspn(text, "xyz") == 4);
  probity_classify(a < 0 ? "negative" : "positive");
  probity_maximize("b", b);
  probity_minimize("b", b);
  probity_note("a note");
  PROBITY_ASSERT(probity_pump(7, 3, 0) == 7 && probity_compares_bytes() < 2 && probity_is_running());
  (void)c, (void)d, (void)e, (void)f, (void)g, (void)h, (void)i, (void)j;
}

PROBITY_TEST(structure) {
  size_t at, n;
  const double parts[2] = {0.25, 0.75};
  int *held = (int *)probity_alloc(sizeof *held);
  probity_begin_input();
  n = probity_begin_list(0, 3);
  for (at = 0; at < n; ++at) {
    probity_begin_item();
    *held = probity_int();
    probity_end_item();
  }
  probity_end_list();
  probity_end_input(probity_is_rendering() ? "a list" : NULL, PROBITY_HERE);
  switch (probity_one_of(2, "one, two", PROBITY_HERE)) {
    case 0: *held = 1; break;
    default: *held = probity_int_in(2, 3);
  }
  probity_end_one_of();
  PROBITY_ASSERT(probity_one_of_weighted(2, parts, "one, two", PROBITY_HERE) < 2);
  probity_end_one_of();
  probity_pass();
}

/* X(name, type, low, high) */
#define INTEGERS(X)                  \
  X(Size, size_t, 1, 3)              \
  X(Long, long, -3, 3)               \
  X(Int64, int64_t, -3, 3)           \
  X(UInt64, uint64_t, 1, 3)          \
  X(Int, int, -3, 3)                 \
  X(UInt, unsigned, 1, 3)            \
  X(Short, short, -3, 3)             \
  X(UShort, unsigned short, 1, 3)    \
  X(Char, char, 'a', 'c')            \
  X(UChar, unsigned char, 1, 3)

DeepState_EntryPoint(DeepStateNames) {
  char buffer[4] = "abc", raw[4];
  void *held;
  char *path;
  int v, total = 0;
#define USE(Name, type, low, high)                                        \
  {                                                                       \
    type it = DeepState_##Name(), in = DeepState_##Name##InRange(low, high); \
    type *array = DeepState_Symbolic##Name##Array(2);                     \
    DeepState_Assert(in >= (type)low && in <= (type)high);                \
    total += DeepState_IsSymbolic##Name(it);                              \
    free(array);                                                          \
  }
  INTEGERS(USE)
  {
    float f = DeepState_Float(), fr = DeepState_FloatInRange(0.5f, 1);
    double d = DeepState_Double(), dr = DeepState_DoubleInRange(0.5, 1);
    total += DeepState_IsSymbolicFloat(f) + DeepState_IsSymbolicDouble(d) + DeepState_IsSymbolicBool(DeepState_Bool());
    DeepState_Check(fr >= 0.5f && fr <= 1 && dr >= 0.5 && dr <= 1);
  }
  DeepState_SymbolizeData(raw, raw + sizeof raw);
  DeepState_SymbolizeDataNoNull(raw, raw + sizeof raw);
  DeepState_Assert(raw[0] && raw[3]);
  held = DeepState_Malloc(3);
  free(held);
  held = DeepState_GCMalloc(3);
  DeepState_AssignCStr_C(buffer, 3, "xy");
  DeepState_SymbolizeCStr_C(buffer, NULL);
  DeepState_SwarmAssignCStr_C(__FILE__, __LINE__, DeepState_SwarmTypePure, buffer, 3, "xy");
  DeepState_SwarmSymbolizeCStr_C(__FILE__, __LINE__, DeepState_SwarmTypeMixed, buffer, NULL);
  DeepState_Assert(strlen(DeepState_CStr_C(3, "ab")) == 3);
  DeepState_Assert(strlen(DeepState_SwarmCStr_C(__FILE__, __LINE__, DeepState_SwarmTypeProb, 2, NULL)) == 2);
  DeepState_Assert(DeepState_ConcretizeData(raw, raw + 4) == raw && DeepState_ConcretizeCStr(buffer) == buffer);
  DeepState_Assert(DeepState_MemScrub(raw, sizeof raw) == raw);
  path = DeepState_InputPath(NULL);
  DeepState_Assert(DeepState_IsRegularFile(path) && !strcmp(DeepState_InputPath("here"), "here"));
  ASSIGN_SATISFYING(v, DeepState_Int(), v % 3 == 0);
  DeepState_Assert(v % 3 == 0);
  ASSIGN_SATISFYING_IN_RANGE(v, DeepState_IntInRange(0, 9), 0, 9, v % 7 == 0);
  DeepState_Assert(v == 0 || v == 7);
  MAYBE(total += 0);
  DeepState_Assume(total == 0);
  assume(DeepState_IsTrue(1));
  assert(DeepState_One() == 1 && DeepState_Zero() == 0 && DeepState_ZeroSink(4) == 0);
  check(DeepState_MinUInt(4) == 4 && DeepState_MaxUInt(4) == 4 && DeepState_MinInt(-4) == -4 && DeepState_MaxInt(-4) == -4);
  check(DeepState_MinUShort(4) + DeepState_MinUChar(4) + DeepState_MinShort(4) + DeepState_MinChar(4) == 16);
  check(DeepState_MaxUShort(4) + DeepState_MaxUChar(4) + DeepState_MaxShort(4) + DeepState_MaxChar(4) == 16);
  check(DeepState_RandInt() >= 0 && !DeepState_UsingSymExec && !DeepState_UsingLibFuzzer);
  DeepState_Log(DeepState_LogInfo, "a line");
  DeepState_LogFormat(DeepState_LogDebug, "%d", 7);
  DeepState_ClearStream(DeepState_LogTrace);
  DeepState_StreamCStr(DeepState_LogTrace, "a");
  DeepState_StreamInt32(DeepState_LogTrace, 1);
  DeepState_StreamUInt64(DeepState_LogTrace, 1);
  DeepState_StreamDouble(DeepState_LogTrace, 1.0);
  DeepState_StreamPointer(DeepState_LogTrace, raw);
  DeepState_StreamFormat(DeepState_LogTrace, "%s", "b");
  DeepState_StreamResetFormatting(DeepState_LogTrace);
  DeepState_LogStream(DeepState_LogTrace);
  DeepState_Warn_srand(1);
  DeepState_CleanUp();
  DeepState_Pass();
}

DeepState_EntryPoint(DeepStateEnds) {
  switch (DeepState_IntInRange(0, 3)) {
    case 1: DeepState_Abandon("not this one");
    case 2: DeepState_Pass();
    default: break;
  }
}

DeepState_EntryPoint(KleeNames) {
  int it;
  klee_make_symbolic(&it, sizeof it, "it");
  assert(klee_range(1, 3, "range") < 4 && klee_choose(2) < 2);
  (void)klee_int("int");
  klee_assume(it != 7);
  klee_warning("a");
  klee_warning_once("a");
  klee_prefer_cex(&it, 1);
  klee_posix_prefer_cex(&it, 1);
  klee_print_expr("it", it);
  klee_print_range("it", it);
  klee_set_forking(1);
  klee_stack_trace();
  klee_open_merge();
  klee_close_merge();
  assert(klee_get_valuel(it) == it && klee_get_value_i32(it) == it);
  if (it == 1) {
    klee_silent_exit(0);
  }
}

int main(int argc, char *argv[]) {
  DeepState_InitOptions(argc, argv);
  DeepState_Setup();
  const int res = DeepState_Run();
  DeepState_Teardown();
  return res;
}
