/* DeepState's names over Probity: harnesses that were written for DeepState compile as they are.
 *
 * The names and what they mean are DeepState's; what is behind them is Probity's. C++ includes DeepState.hpp.
 */
#ifndef PROBITY_DEEPSTATE_H
#define PROBITY_DEEPSTATE_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <wchar.h>

#include <probity.h>

#ifndef DEEPSTATE_SIZE
#define DEEPSTATE_SIZE 32768
#endif

#define DEEPSTATE_CAT__(x, y) x##y
#define DEEPSTATE_CAT_(x, y) DEEPSTATE_CAT__(x, y)
#define DEEPSTATE_CAT(x, y) DEEPSTATE_CAT_(x, y)
#define DEEPSTATE_TO_STR_(a) #a
#define DEEPSTATE_TO_STR(a) DEEPSTATE_TO_STR_(a)
#define DEEPSTATE_NORETURN __attribute__((noreturn))
#define DEEPSTATE_NOINLINE __attribute__((noinline))
#define DEEPSTATE_INLINE inline __attribute__((always_inline))
#define DEEPSTATE_BARRIER() __asm__ volatile("" ::: "memory")
#define DEEPSTATE_USED(x) __asm__ volatile("" ::"m"(x) : "memory")
#define DeepState_Trap __builtin_trap

#ifdef __cplusplus
#define DEEPSTATE_BEGIN_EXTERN_C extern "C" {
#define DEEPSTATE_END_EXTERN_C }
#else
#define DEEPSTATE_BEGIN_EXTERN_C
#define DEEPSTATE_END_EXTERN_C
#endif

#define MAYBE(...)       \
  if (DeepState_Bool()) { \
    __VA_ARGS__;         \
  }

DEEPSTATE_BEGIN_EXTERN_C

enum { DeepState_InputSize = DEEPSTATE_SIZE };

enum DeepState_SwarmType { DeepState_SwarmTypePure = 0, DeepState_SwarmTypeMixed = 1, DeepState_SwarmTypeProb = 2 };

enum DeepState_TestRunResult {
  DeepState_TestRunPass = 0,
  DeepState_TestRunFail = 1,
  DeepState_TestRunCrash = 2,
  DeepState_TestRunAbandon = 3
};

enum DeepState_LogLevel {
  DeepState_LogDebug = 0,
  DeepState_LogTrace = 1,
  DeepState_LogInfo = 2,
  DeepState_LogWarning = 3,
  DeepState_LogWarn = DeepState_LogWarning,
  DeepState_LogError = 4,
  DeepState_LogExternal = 5,
  DeepState_LogFatal = 6,
  DeepState_LogCritical = DeepState_LogFatal
};

#define DeepState_TestInfo probity_test
#define DeepState_LastTestInfo probity_last_test

/* ---- Values. In macros, so that a report says where each is drawn. */

/* X(name, type, is it signed, min, max) */
#define DEEPSTATE_INTEGERS_(X)                                        \
  X(Size, size_t, uint64, 0, SIZE_MAX)                                \
  X(Long, long, int64, LONG_MIN, LONG_MAX)                            \
  X(Int64, int64_t, int64, INT64_MIN, INT64_MAX)                      \
  X(UInt64, uint64_t, uint64, 0, UINT64_MAX)                          \
  X(Int, int, int64, INT_MIN, INT_MAX)                                \
  X(UInt, unsigned, uint64, 0, UINT_MAX)                              \
  X(Short, short, int64, SHRT_MIN, SHRT_MAX)                          \
  X(UShort, unsigned short, uint64, 0, USHRT_MAX)                     \
  X(UChar, unsigned char, uint64, 0, UCHAR_MAX)

#define DEEPSTATE_DECLARE_(Name, type, kind, min, max)                                                     \
  static inline type DeepState_##Name##At(const char *file, unsigned line) {                               \
    return (type)probity_##kind(min, max, sizeof(type), file, line);                                       \
  }                                                                                                        \
  static inline type DeepState_##Name##InRangeAt(type low, type high, const char *file, unsigned line) {   \
    return (type)probity_##kind(low, high, sizeof(type), file, line);                                      \
  }                                                                                                        \
  static inline type DeepState_##Name(void) { return DeepState_##Name##At(NULL, 0); }                      \
  static inline type DeepState_##Name##InRange(type low, type high) {                                      \
    return DeepState_##Name##InRangeAt(low, high, NULL, 0);                                                \
  }                                                                                                        \
  static inline type *DeepState_Symbolic##Name##Array(size_t n) {                                          \
    type *array = (type *)malloc(sizeof(type) * n);                                                        \
    if (array) {                                                                                           \
      probity_bytes(array, sizeof(type) * n, 0, NULL, 0);                                                  \
    }                                                                                                      \
    return array;                                                                                          \
  }
DEEPSTATE_INTEGERS_(DEEPSTATE_DECLARE_)
#undef DEEPSTATE_DECLARE_

static inline char DeepState_CharAt(const char *file, unsigned line) {
  return (char)probity_character(CHAR_MIN, CHAR_MAX, file, line);
}
static inline char DeepState_CharInRangeAt(char low, char high, const char *file, unsigned line) {
  return (char)probity_character(low, high, file, line);
}
static inline char DeepState_Char(void) { return DeepState_CharAt(NULL, 0); }
static inline char DeepState_CharInRange(char low, char high) { return DeepState_CharInRangeAt(low, high, NULL, 0); }
static inline char *DeepState_SymbolicCharArray(size_t n) { return (char *)DeepState_SymbolicUCharArray(n); }
static inline int DeepState_BoolAt(const char *file, unsigned line) { return probity_bool(file, line); }
static inline int DeepState_Bool(void) { return probity_bool(NULL, 0); }
static inline float DeepState_FloatAt(const char *file, unsigned line) {
  return probity_float(-__builtin_inff(), __builtin_inff(), 1, file, line);
}
static inline float DeepState_FloatInRangeAt(float low, float high, const char *file, unsigned line) {
  return probity_float(low, high, 0, file, line);
}
static inline float DeepState_Float(void) { return DeepState_FloatAt(NULL, 0); }
static inline float DeepState_FloatInRange(float low, float high) { return probity_float(low, high, 0, NULL, 0); }
static inline double DeepState_DoubleAt(const char *file, unsigned line) {
  return probity_double(-__builtin_inf(), __builtin_inf(), 1, file, line);
}
static inline double DeepState_DoubleInRangeAt(double low, double high, const char *file, unsigned line) {
  return probity_double(low, high, 0, file, line);
}
static inline double DeepState_Double(void) { return DeepState_DoubleAt(NULL, 0); }
static inline double DeepState_DoubleInRange(double low, double high) { return probity_double(low, high, 0, NULL, 0); }

#define DeepState_Bool() DeepState_BoolAt(PROBITY_HERE)
#define DeepState_Size() DeepState_SizeAt(PROBITY_HERE)
#define DeepState_Long() DeepState_LongAt(PROBITY_HERE)
#define DeepState_Int64() DeepState_Int64At(PROBITY_HERE)
#define DeepState_UInt64() DeepState_UInt64At(PROBITY_HERE)
#define DeepState_Int() DeepState_IntAt(PROBITY_HERE)
#define DeepState_UInt() DeepState_UIntAt(PROBITY_HERE)
#define DeepState_Short() DeepState_ShortAt(PROBITY_HERE)
#define DeepState_UShort() DeepState_UShortAt(PROBITY_HERE)
#define DeepState_Char() DeepState_CharAt(PROBITY_HERE)
#define DeepState_UChar() DeepState_UCharAt(PROBITY_HERE)
#define DeepState_Float() DeepState_FloatAt(PROBITY_HERE)
#define DeepState_Double() DeepState_DoubleAt(PROBITY_HERE)
#define DeepState_SizeInRange(low, high) DeepState_SizeInRangeAt((low), (high), PROBITY_HERE)
#define DeepState_LongInRange(low, high) DeepState_LongInRangeAt((low), (high), PROBITY_HERE)
#define DeepState_Int64InRange(low, high) DeepState_Int64InRangeAt((low), (high), PROBITY_HERE)
#define DeepState_UInt64InRange(low, high) DeepState_UInt64InRangeAt((low), (high), PROBITY_HERE)
#define DeepState_IntInRange(low, high) DeepState_IntInRangeAt((low), (high), PROBITY_HERE)
#define DeepState_UIntInRange(low, high) DeepState_UIntInRangeAt((low), (high), PROBITY_HERE)
#define DeepState_ShortInRange(low, high) DeepState_ShortInRangeAt((low), (high), PROBITY_HERE)
#define DeepState_UShortInRange(low, high) DeepState_UShortInRangeAt((low), (high), PROBITY_HERE)
#define DeepState_CharInRange(low, high) DeepState_CharInRangeAt((low), (high), PROBITY_HERE)
#define DeepState_UCharInRange(low, high) DeepState_UCharInRangeAt((low), (high), PROBITY_HERE)
#define DeepState_FloatInRange(low, high) DeepState_FloatInRangeAt((low), (high), PROBITY_HERE)
#define DeepState_DoubleInRange(low, high) DeepState_DoubleInRangeAt((low), (high), PROBITY_HERE)

/* ---- Memory and texts. */

static inline void DeepState_SymbolizeDataAt(void *begin, void *end, unsigned least, const char *file, unsigned line) {
  if ((char *)begin < (char *)end) {
    probity_bytes(begin, (size_t)((char *)end - (char *)begin), least, file, line);
  }
}
static inline void DeepState_SymbolizeData(void *begin, void *end) { DeepState_SymbolizeDataAt(begin, end, 0, NULL, 0); }
static inline void DeepState_SymbolizeDataNoNull(void *begin, void *end) {
  DeepState_SymbolizeDataAt(begin, end, 1, NULL, 0);
}
static inline void *DeepState_MallocAt(size_t n, const char *file, unsigned line) {
  void *it = malloc(n ? n : 1);
  if (it) {
    probity_bytes(it, n, 0, file, line);
  }
  return it;
}
static inline void *DeepState_Malloc(size_t n) { return DeepState_MallocAt(n, NULL, 0); }
static inline void *DeepState_GCMallocAt(size_t n, const char *file, unsigned line) {
  void *it = probity_alloc(n);
  if (it) {
    probity_bytes(it, n, 0, file, line);
  }
  return it;
}
static inline void *DeepState_GCMalloc(size_t n) { return DeepState_GCMallocAt(n, NULL, 0); }
static inline void DeepState_AssignCStr_C(char *to, size_t len, const char *allowed) {
  probity_text(to, len, allowed, NULL, 0);
}
static inline char *DeepState_CStr_CAt(size_t len, const char *allowed, const char *file, unsigned line) {
  char *it = (char *)probity_alloc(len + 1);
  if (it) {
    probity_text(it, len, allowed, file, line);
  }
  return it;
}
static inline char *DeepState_CStr_C(size_t len, const char *allowed) { return DeepState_CStr_CAt(len, allowed, NULL, 0); }
static inline void DeepState_SymbolizeCStr_C(char *begin, const char *allowed) {
  if (begin && begin[0]) {
    probity_text(begin, strlen(begin), allowed, NULL, 0);
  }
}
/* Random cases leave some alternatives out without being asked: swarm is in the sampler. */
static inline void DeepState_SwarmAssignCStr_C(const char *file, unsigned line, int mix, char *to, size_t len,
                                               const char *allowed) {
  (void)mix;
  probity_text(to, len, allowed, file, line);
}
static inline char *DeepState_SwarmCStr_C(const char *file, unsigned line, int mix, size_t len, const char *allowed) {
  (void)mix;
  return DeepState_CStr_CAt(len, allowed, file, line);
}
static inline void DeepState_SwarmSymbolizeCStr_C(const char *file, unsigned line, int mix, char *begin,
                                                  const char *allowed) {
  (void)mix;
  if (begin && begin[0]) {
    probity_text(begin, strlen(begin), allowed, file, line);
  }
}
#define DeepState_SymbolizeData(begin, end) DeepState_SymbolizeDataAt((begin), (end), 0, PROBITY_HERE)
#define DeepState_SymbolizeDataNoNull(begin, end) DeepState_SymbolizeDataAt((begin), (end), 1, PROBITY_HERE)
#define DeepState_Malloc(n) DeepState_MallocAt((n), PROBITY_HERE)
#define DeepState_GCMalloc(n) DeepState_GCMallocAt((n), PROBITY_HERE)
#define DeepState_AssignCStr_C(to, len, allowed) probity_text((to), (len), (allowed), PROBITY_HERE)
#define DeepState_CStr_C(len, allowed) DeepState_CStr_CAt((len), (allowed), PROBITY_HERE)

static inline void *DeepState_ConcretizeData(void *begin, void *end) {
  (void)end;
  return begin;
}
static inline const char *DeepState_ConcretizeCStr(const char *begin) { return begin; }
static inline void *DeepState_MemScrub(void *to, size_t n) {
  volatile unsigned char *at = (volatile unsigned char *)to;
  while (n--) {
    *at++ = 0;
  }
  return to;
}

static inline bool DeepState_IsRegularFile(char *path) {
  struct stat it;
  return stat(path, &it) == 0 && S_ISREG(it.st_mode);
}
/* The path of a file with input: the one that is given, or one of bytes that the case draws. */
static inline char *DeepState_InputPathAt(const char *path, const char *file, unsigned line) {
  if (path) {
    char *it = (char *)probity_alloc(strlen(path) + 1);
    strcpy(it, path);
    return it;
  }
  return probity_file(0, 256, file, line);
}
static inline char *DeepState_InputPath(const char *path) { return DeepState_InputPathAt(path, NULL, 0); }
#define DeepState_InputPath(path) DeepState_InputPathAt((path), PROBITY_HERE)

/* ---- What engines know. The least and the greatest that a value can be is known to the concolic engine alone, which goes
 * on with it; others have one value. */

static inline uint32_t DeepState_MinUInt(uint32_t it) { return (uint32_t)probity_pump(it, 1, 0); }
static inline uint32_t DeepState_MaxUInt(uint32_t it) { return (uint32_t)probity_pump(it, 1, 1); }
static inline int32_t DeepState_MinInt(int32_t it) {
  return (int32_t)((uint32_t)probity_pump((uint32_t)it ^ 0x80000000U, 1, 0) ^ 0x80000000U);
}
static inline int32_t DeepState_MaxInt(int32_t it) {
  return (int32_t)((uint32_t)probity_pump((uint32_t)it ^ 0x80000000U, 1, 1) ^ 0x80000000U);
}
static inline uint16_t DeepState_MinUShort(uint16_t it) { return (uint16_t)DeepState_MinUInt(it); }
static inline uint8_t DeepState_MinUChar(uint8_t it) { return (uint8_t)DeepState_MinUInt(it); }
static inline int16_t DeepState_MinShort(int16_t it) { return (int16_t)DeepState_MinInt(it); }
static inline int8_t DeepState_MinChar(int8_t it) { return (int8_t)DeepState_MinInt(it); }
static inline uint16_t DeepState_MaxUShort(uint16_t it) { return (uint16_t)DeepState_MaxUInt(it); }
static inline uint8_t DeepState_MaxUChar(uint8_t it) { return (uint8_t)DeepState_MaxUInt(it); }
static inline int16_t DeepState_MaxShort(int16_t it) { return (int16_t)DeepState_MaxInt(it); }
static inline int8_t DeepState_MaxChar(int8_t it) { return (int8_t)DeepState_MaxInt(it); }

/* Every value has a value: none is symbolic where the code can see it. */
#define DEEPSTATE_IS_SYMBOLIC_(Name, type)               \
  static inline int DeepState_IsSymbolic##Name(type it) { \
    (void)it;                                            \
    return 0;                                            \
  }
DEEPSTATE_IS_SYMBOLIC_(Bool, int)
DEEPSTATE_IS_SYMBOLIC_(Size, size_t)
DEEPSTATE_IS_SYMBOLIC_(Long, long)
DEEPSTATE_IS_SYMBOLIC_(Int64, int64_t)
DEEPSTATE_IS_SYMBOLIC_(UInt64, uint64_t)
DEEPSTATE_IS_SYMBOLIC_(Int, int)
DEEPSTATE_IS_SYMBOLIC_(UInt, uint32_t)
DEEPSTATE_IS_SYMBOLIC_(Short, int16_t)
DEEPSTATE_IS_SYMBOLIC_(UShort, uint16_t)
DEEPSTATE_IS_SYMBOLIC_(Char, char)
DEEPSTATE_IS_SYMBOLIC_(UChar, unsigned char)
DEEPSTATE_IS_SYMBOLIC_(Float, float)
DEEPSTATE_IS_SYMBOLIC_(Double, double)
#undef DEEPSTATE_IS_SYMBOLIC_
#define DeepState_UsingSymExec 0
#define DeepState_UsingLibFuzzer 0

static inline int DeepState_IsTrue(int it) { return it != 0; }
static inline int DeepState_One(void) { return 1; }
static inline int DeepState_Zero(void) { return 0; }
static inline int DeepState_ZeroSink(int it) {
  (void)it;
  return 0;
}

/* ---- How a case ends. */

static inline DEEPSTATE_NORETURN void DeepState_Abandon(const char *why) { probity_reject(why, NULL, 0); }
static inline DEEPSTATE_NORETURN void DeepState_Fail(void) { probity_fail("the test failed itself", NULL, 0); }
static inline void DeepState_SoftFail(void) { probity_soft_fail("the test failed itself", NULL, 0); }
static inline DEEPSTATE_NORETURN void DeepState_Pass(void) { probity_pass(); }
static inline DEEPSTATE_NORETURN void DeepState_Crash(void) { abort(); }
static inline DEEPSTATE_NORETURN void DeepState_HardCrash(void) { abort(); }
#define DeepState_Abandon(why) probity_reject((why), PROBITY_HERE)
#define DeepState_Fail() probity_fail("the test failed itself", PROBITY_HERE)
#define DeepState_SoftFail() probity_soft_fail("the test failed itself", PROBITY_HERE)

#define DeepState_Assume(x) ((x) ? (void)0 : probity_reject(#x, PROBITY_HERE))
#define DeepState_Assert(x) ((x) ? (void)0 : probity_fail(#x, PROBITY_HERE))
#define DeepState_Check(x) ((x) ? (void)0 : probity_soft_fail(#x, PROBITY_HERE))

/* How many values are tried at most to satisfy a condition. */
#ifndef DEEPSTATE_MAX_SEARCH_ITERS
#define DEEPSTATE_MAX_SEARCH_ITERS 1000000
#endif

/* A value of `expr`, or one near it, for which `P` holds. The case is rejected where there is none near. */
#define ASSIGN_SATISFYING(v, expr, P)                                                              \
  do {                                                                                             \
    unsigned long long deepstate_from, deepstate_step_;                                            \
    v = (expr);                                                                                    \
    deepstate_from = (unsigned long long)v;                                                        \
    for (deepstate_step_ = 1; !(P); ++deepstate_step_) {                                           \
      DeepState_Assume(deepstate_step_ <= DEEPSTATE_MAX_SEARCH_ITERS);                             \
      v = deepstate_from + deepstate_step_;                                                        \
      if (!(P)) {                                                                                  \
        v = deepstate_from - deepstate_step_;                                                      \
      }                                                                                            \
    }                                                                                              \
  } while (0)
#define ASSIGN_SATISFYING_IN_RANGE(v, expr, low, high, P)                                          \
  do {                                                                                             \
    long long deepstate_from, deepstate_step_;                                                     \
    v = (expr);                                                                                    \
    DeepState_Assume((low) <= v && v <= (high));                                                   \
    deepstate_from = (long long)v;                                                                 \
    for (deepstate_step_ = 1; !(P); ++deepstate_step_) {                                           \
      DeepState_Assume(deepstate_step_ <= DEEPSTATE_MAX_SEARCH_ITERS &&                            \
                       (deepstate_step_ <= (high) - deepstate_from ||                              \
                        deepstate_step_ <= deepstate_from - (low)));                               \
      if (deepstate_step_ <= (high) - deepstate_from) {                                            \
        v = deepstate_from + deepstate_step_;                                                      \
      }                                                                                            \
      if (!(P) && deepstate_step_ <= deepstate_from - (low)) {                                     \
        v = deepstate_from - deepstate_step_;                                                      \
      }                                                                                            \
    }                                                                                              \
  } while (0)

/* ---- Logs. They are kept for the report of the failing input; an error fails the case. */

#define DEEPSTATE_LOG_MAX_ 4096

static inline int DeepState_IsLogged_(enum DeepState_LogLevel level) {
  return level >= DeepState_LogError || (probity_is_rendering() && (int)level >= probity_log_level(DeepState_LogTrace));
}
static inline void DeepState_LogAt_(enum DeepState_LogLevel level, const char *text, const char *file, unsigned line) {
  if (level >= DeepState_LogFatal) {
    probity_fail(text, file, line);
  } else if (level == DeepState_LogError) {
    probity_soft_fail(text, file, line);
  } else if (DeepState_IsLogged_(level)) {
    probity_note(text);
  }
}
static inline void DeepState_Log(enum DeepState_LogLevel level, const char *text) {
  DeepState_LogAt_(level, text, __FILE__, 0);
}
__attribute__((format(printf, 2, 0))) static inline void DeepState_LogVFormat(enum DeepState_LogLevel level,
                                                                              const char *format, va_list arguments) {
  if (DeepState_IsLogged_(level)) {
    char *text = (char *)probity_alloc(DEEPSTATE_LOG_MAX_);
    vsnprintf(text, DEEPSTATE_LOG_MAX_, format, arguments);
    DeepState_Log(level, text);
  }
}
__attribute__((format(printf, 2, 3))) static inline void DeepState_LogFormat(enum DeepState_LogLevel level,
                                                                             const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  DeepState_LogVFormat(level, format, arguments);
  va_end(arguments);
}

/* A line of a log in parts, until DeepState_LogStream. */
static char DeepState_Line_[DEEPSTATE_LOG_MAX_];
static inline void DeepState_ClearStream(enum DeepState_LogLevel level) {
  (void)level;
  DeepState_Line_[0] = 0;
}
__attribute__((format(printf, 2, 0))) static inline void DeepState_StreamVFormat(enum DeepState_LogLevel level,
                                                                                 const char *format, va_list arguments) {
  if (DeepState_IsLogged_(level)) {
    const size_t n = strlen(DeepState_Line_);
    vsnprintf(DeepState_Line_ + n, sizeof DeepState_Line_ - n, format, arguments);
  }
}
__attribute__((format(printf, 2, 3))) static inline void DeepState_StreamFormat(enum DeepState_LogLevel level,
                                                                                const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  DeepState_StreamVFormat(level, format, arguments);
  va_end(arguments);
}
static inline void DeepState_LogStream(enum DeepState_LogLevel level) {
  if (DeepState_IsLogged_(level)) {
    DeepState_Log(level, DeepState_Line_);
  }
  DeepState_ClearStream(level);
}
#define DEEPSTATE_STREAM_(Name, type, format)                                                \
  static inline void DeepState_Stream##Name(enum DeepState_LogLevel level, type it) {        \
    DeepState_StreamFormat(level, format, it);                                               \
  }
DEEPSTATE_STREAM_(CStr, const char *, "%s")
DEEPSTATE_STREAM_(WCStr, const wchar_t *, "%ls")
DEEPSTATE_STREAM_(Pointer, const void *, "%p")
DEEPSTATE_STREAM_(Float, float, "%f")
DEEPSTATE_STREAM_(Double, double, "%f")
DEEPSTATE_STREAM_(UInt64, uint64_t, "%" PRIu64)
DEEPSTATE_STREAM_(Int64, int64_t, "%" PRId64)
DEEPSTATE_STREAM_(UInt32, uint32_t, "%" PRIu32)
DEEPSTATE_STREAM_(Int32, int32_t, "%" PRId32)
DEEPSTATE_STREAM_(UInt16, uint16_t, "%u")
DEEPSTATE_STREAM_(Int16, int16_t, "%d")
DEEPSTATE_STREAM_(UInt8, uint8_t, "%u")
DEEPSTATE_STREAM_(Int8, int8_t, "%d")
#undef DEEPSTATE_STREAM_
static inline void DeepState_StreamResetFormatting(enum DeepState_LogLevel level) { (void)level; }

/* ---- Tests. */

#define DeepState_EntryPoint(name)                                                      \
  static void DEEPSTATE_CAT(DeepState_Test_, name)(void);                               \
  PROBITY_REGISTER(name, DEEPSTATE_TO_STR(name), DEEPSTATE_CAT(DeepState_Test_, name))  \
  static void DEEPSTATE_CAT(DeepState_Test_, name)(void)

static inline void DeepState_InitOptions(int argc, ...) {
  va_list rest;
  va_start(rest, argc);
  probity_read_options(argc, va_arg(rest, const char *const *));
  va_end(rest);
}
static inline int DeepState_Run(void) { return probity_run(); }
static inline void DeepState_Setup(void) {}
static inline void DeepState_Teardown(void) {}
static inline void DeepState_CleanUp(void) {}

/* From here on, the rest of the program is the test. */
static inline int DeepState_TakeOver(void) { return probity_take_over(); }

static inline int DeepState_RandInt(void) { return (int)probity_int64(0, RAND_MAX, 4, NULL, 0); }
static inline void DeepState_Warn_srand(unsigned seed) { (void)seed; }

DEEPSTATE_END_EXTERN_C

/* DeepState gives these words a meaning in harnesses. */
#undef assert
#define assert DeepState_Assert
#define assume DeepState_Assume
#define check DeepState_Check
#ifdef DEEPSTATE_TAKEOVER_RAND
#define rand DeepState_RandInt
#define srand DeepState_Warn_srand
#endif

#endif /* PROBITY_DEEPSTATE_H */
