/* KLEE's names over Probity: what DeepState's header of this name has. See DeepState.h. */
#ifndef PROBITY_DEEPSTATE_KLEE_H
#define PROBITY_DEEPSTATE_KLEE_H

#include "DeepState.h"

DEEPSTATE_BEGIN_EXTERN_C

/* KLEE's programs have no tests: what they draw first makes the rest of the program one. */
static inline void klee_begin_(void) {
  if (!probity_is_running()) {
    probity_take_over();
  }
}
static inline void klee_make_symbolic_at(void *to, size_t n, const char *file, unsigned line) {
  klee_begin_();
  probity_bytes(to, n, 0, file, line);
}
#define klee_make_symbolic(to, n, name) klee_make_symbolic_at((to), (n), PROBITY_HERE)
static inline int klee_range_at(int begin, int end, const char *file, unsigned line) {
  klee_begin_();
  return (int)probity_int64(begin, end, 4, file, line);
}
#define klee_range(begin, end, name) klee_range_at((begin), (end), PROBITY_HERE)
#define klee_int(name) klee_range_at(INT_MIN, INT_MAX, PROBITY_HERE)
static inline uintptr_t klee_choose_at(uintptr_t n, const char *file, unsigned line) {
  klee_begin_();
  return (uintptr_t)probity_pick(n, file, line);
}
#define klee_choose(n) klee_choose_at((n), PROBITY_HERE)
#define klee_assume(condition) DeepState_Assume(condition)
static inline DEEPSTATE_NORETURN void klee_silent_exit(int status) {
  (void)status;
  probity_reject("klee_silent_exit", NULL, 0);
}
static inline DEEPSTATE_NORETURN void klee_abort(void) { abort(); }
static inline void klee_warning(const char *message) { DeepState_Log(DeepState_LogWarning, message); }
static inline void klee_warning_once(const char *message) { DeepState_Log(DeepState_LogWarning, message); }
/* Commands to KLEE's engine. */
static inline void klee_prefer_cex(void *object, uintptr_t condition) {
  (void)object;
  (void)condition;
}
static inline void klee_posix_prefer_cex(void *object, uintptr_t condition) { klee_prefer_cex(object, condition); }
static inline void klee_print_expr(const char *message, ...) { (void)message; }
static inline void klee_print_range(const char *name, int it) {
  (void)name;
  (void)it;
}
static inline void klee_set_forking(unsigned is_on) { (void)is_on; }
static inline void klee_stack_trace(void) {}
static inline void klee_open_merge(void) {}
static inline void klee_close_merge(void) {}
static inline long klee_get_valuel(long it) { return it; }
static inline int32_t klee_get_value_i32(int32_t it) { return DeepState_MinInt(it); }

DEEPSTATE_END_EXTERN_C

#endif /* PROBITY_DEEPSTATE_KLEE_H */
