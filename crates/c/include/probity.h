/* Probity for C11 and C++: tests with blanks for inputs, which engines fill in.
 *
 *     #include <probity.h>
 *
 *     PROBITY_TEST(addition_is_commutative) {
 *       int a = probity_int(), b = probity_int();
 *       PROBITY_ASSERT(a + (unsigned)b == b + (unsigned)a);
 *     }
 *
 * Link with -lprobity_main -lprobity; the program that comes out runs its tests. C++ has more in probity.hpp.
 */
#ifndef PROBITY_H
#define PROBITY_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <cfloat>
#define PROBITY_NORETURN [[noreturn]]
extern "C" {
#else
#include <float.h>
#define PROBITY_NORETURN _Noreturn
#endif

/* ---- Draws. They are for the thread of the test. `file` and `line` say where the draw is; the macros below fill
 * them in. Bounds are inclusive, in any order. */

/* A number of a type of `size` bytes. */
int64_t probity_int64(int64_t min, int64_t max, unsigned size, const char *file, unsigned line);
uint64_t probity_uint64(uint64_t min, uint64_t max, unsigned size, const char *file, unsigned line);
/* A number that is shown as a character. */
int probity_character(int min, int max, const char *file, unsigned line);
int probity_bool(const char *file, unsigned line);
/* With `nan`, one that is no number, too. */
double probity_double(double min, double max, int nan, const char *file, unsigned line);
float probity_float(float min, float max, int nan, const char *file, unsigned line);
/* A number below `n`. */
size_t probity_pick(size_t n, const char *file, unsigned line);
/* Fills `n` bytes, each of at least `least`. */
void probity_bytes(void *to, size_t n, unsigned least, const char *file, unsigned line);
/* Fills `n` characters and a zero: of those in `allowed`, or if that is null, any but zero. */
void probity_text(char *to, size_t n, const char *allowed, const char *file, unsigned line);
/* A text of `min` to `max` characters, freed at the end of the case. */
char *probity_string(size_t min, size_t max, const char *allowed, const char *file, unsigned line);
/* `min` to `max` bytes, freed at the end of the case; how many goes to `size`. */
void *probity_data(size_t min, size_t max, size_t *size, const char *file, unsigned line);
/* A file of `min` to `max` bytes that are drawn: its path, until the end of the case. */
char *probity_file(size_t min, size_t max, const char *file, unsigned line);
/* Memory that is freed at the end of the case. */
void *probity_alloc(size_t size);

/* Several draws as one input, which `text` shows; it may be null unless probity_is_rendering(). */
void probity_begin_input(void);
void probity_end_input(const char *text, const char *file, unsigned line);
int probity_is_rendering(void);
int probity_is_running(void);
/* A list: its length, then each item between its two calls. */
size_t probity_begin_list(size_t min, size_t max);
void probity_begin_item(void);
void probity_end_item(void);
void probity_end_list(void);

/* One of `n` ways, until the second call. `texts` are their source texts, separated by commas; `parts` say how likely
 * each is. */
size_t probity_one_of(size_t n, const char *texts, const char *file, unsigned line);
size_t probity_one_of_weighted(size_t n, const double *parts, const char *texts, const char *file, unsigned line);
void probity_end_one_of(void);

/* `value`; the concolic engine goes on with up to `max` values that it can have: the smallest (order 0), the greatest
 * (1), or both ends (2). */
uint64_t probity_pump(uint64_t value, unsigned max, unsigned order);

/* ---- How a case ends. */

PROBITY_NORETURN void probity_reject(const char *what, const char *file, unsigned line);
PROBITY_NORETURN void probity_fail(const char *message, const char *file, unsigned line);
PROBITY_NORETURN void probity_threw(const char *type, const char *what);
PROBITY_NORETURN void probity_pass(void);
/* Fails the case, which goes on. */
void probity_soft_fail(const char *message, const char *file, unsigned line);

/* ---- What a test says. */

/* A line for the report of the failing input. */
void probity_note(const char *text);
/* Counts the case under a label; --verbose shows the shares. */
void probity_classify(const char *label);
/* Scores that engines raise or lower. */
void probity_maximize(const char *label, double value);
void probity_minimize(const char *label, double value);
/* Whether an engine learns from numbers that are compared byte by byte. */
int probity_compares_bytes(void);

/* ---- Tests and programs. */

struct probity_test {
  const struct probity_test *previous;
  void (*run)(void);
  const char *name;
  const char *file;
  unsigned line;
};

void probity_register(struct probity_test *test);
extern struct probity_test *probity_last_test;
int probity_main(int argc, const char *const *argv);
/* The two halves of it. */
void probity_read_options(int argc, const char *const *argv);
int probity_run(void);
int probity_log_level(int otherwise);
/* From here on, the rest of the program is the test: each case runs it in a process of its own. */
int probity_take_over(void);
int probity_run_bytes(const uint8_t *data, size_t size);

#ifdef __cplusplus
}
#endif

/* ---- The same with the place filled in. */

#define PROBITY_HERE __FILE__, __LINE__

#define probity_schar() ((signed char)probity_int64(SCHAR_MIN, SCHAR_MAX, 1, PROBITY_HERE))
#define probity_uchar() ((unsigned char)probity_uint64(0, UCHAR_MAX, 1, PROBITY_HERE))
#define probity_char() ((char)probity_character(CHAR_MIN, CHAR_MAX, PROBITY_HERE))
#define probity_short() ((short)probity_int64(SHRT_MIN, SHRT_MAX, 2, PROBITY_HERE))
#define probity_ushort() ((unsigned short)probity_uint64(0, USHRT_MAX, 2, PROBITY_HERE))
#define probity_int() ((int)probity_int64(INT_MIN, INT_MAX, 4, PROBITY_HERE))
#define probity_uint() ((unsigned)probity_uint64(0, UINT_MAX, 4, PROBITY_HERE))
#define probity_long() ((long)probity_int64(LONG_MIN, LONG_MAX, sizeof(long), PROBITY_HERE))
#define probity_ulong() ((unsigned long)probity_uint64(0, ULONG_MAX, sizeof(long), PROBITY_HERE))
#define probity_size() ((size_t)probity_uint64(0, SIZE_MAX, sizeof(size_t), PROBITY_HERE))
#define probity_int_in(min, max) ((int)probity_int64((min), (max), 4, PROBITY_HERE))
#define probity_uint_in(min, max) ((unsigned)probity_uint64((min), (max), 4, PROBITY_HERE))
#define probity_long_in(min, max) ((long)probity_int64((min), (max), sizeof(long), PROBITY_HERE))
#define probity_size_in(min, max) ((size_t)probity_uint64((min), (max), sizeof(size_t), PROBITY_HERE))
#define probity_flag() probity_bool(PROBITY_HERE)
#define probity_real() probity_double(-DBL_MAX, DBL_MAX, 0, PROBITY_HERE)
#define probity_real_in(min, max) probity_double((min), (max), 0, PROBITY_HERE)
#define probity_cstring(max) probity_string(0, (max), NULL, PROBITY_HERE)
#define probity_cstring_of(max, allowed) probity_string(0, (max), (allowed), PROBITY_HERE)
#define probity_choice(n) probity_pick((n), PROBITY_HERE)

/* Rejects the case unless `condition` holds. */
#define PROBITY_ASSUME(condition) ((condition) ? (void)0 : probity_reject(#condition, PROBITY_HERE))
/* Fails the case unless `condition` holds. */
#define PROBITY_ASSERT(condition) ((condition) ? (void)0 : probity_fail(#condition, PROBITY_HERE))
/* The same, and goes on with the case. */
#define PROBITY_CHECK(condition) ((condition) ? (void)0 : probity_soft_fail(#condition, PROBITY_HERE))

#define PROBITY_JOIN_(a, b) a##b
#define PROBITY_JOIN(a, b) PROBITY_JOIN_(a, b)
/* Registers `function` as a test before `main`. */
#define PROBITY_REGISTER(id, title, function)                                                         \
  static struct probity_test PROBITY_JOIN(probity_test_, id) = {0, function, title, __FILE__, __LINE__}; \
  __attribute__((constructor)) static void PROBITY_JOIN(probity_register_, id)(void) {                \
    probity_register(&PROBITY_JOIN(probity_test_, id));                                               \
  }

#ifndef __cplusplus
/* A test: a function that is run with many inputs. */
#define PROBITY_TEST(name)                      \
  static void PROBITY_JOIN(probity_body_, name)(void); \
  PROBITY_REGISTER(name, #name, PROBITY_JOIN(probity_body_, name)) \
  static void PROBITY_JOIN(probity_body_, name)(void)
#endif

#endif /* PROBITY_H */
