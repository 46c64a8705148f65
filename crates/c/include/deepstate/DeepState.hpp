// DeepState's names in C++ over Probity. See DeepState.h.
#ifndef PROBITY_DEEPSTATE_HPP
#define PROBITY_DEEPSTATE_HPP

// What these include is to be read before DeepState.h gives `assert` and `check` another meaning.
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <probity.hpp>

#include "DeepState.h"

namespace deepstate {

// ---- Values.

// Draws, or for an engine that lets a program be fuzzed, the same.
inline void *Malloc(size_t n) { return (DeepState_Malloc)(n); }
inline void SymbolizeData(void *begin, void *end) { (DeepState_SymbolizeData)(begin, end); }
inline bool Bool(PROBITY_CALLER) { return probity_bool(file, line) != 0; }
inline size_t Size(PROBITY_CALLER) { return DeepState_SizeAt(file, line); }
inline uint64_t UInt64(PROBITY_CALLER) { return DeepState_UInt64At(file, line); }
inline int64_t Int64(PROBITY_CALLER) { return DeepState_Int64At(file, line); }
inline uint32_t UInt(PROBITY_CALLER) { return DeepState_UIntAt(file, line); }
inline int32_t Int(PROBITY_CALLER) { return DeepState_IntAt(file, line); }
inline uint16_t UShort(PROBITY_CALLER) { return DeepState_UShortAt(file, line); }
inline int16_t Short(PROBITY_CALLER) { return DeepState_ShortAt(file, line); }
inline unsigned char UChar(PROBITY_CALLER) { return DeepState_UCharAt(file, line); }
inline char Char(PROBITY_CALLER) { return DeepState_CharAt(file, line); }
inline float Float(PROBITY_CALLER) { return DeepState_FloatAt(file, line); }
inline double Double(PROBITY_CALLER) { return DeepState_DoubleAt(file, line); }

// A fixture is made anew for each case.
class Test {
 public:
  Test() = default;
  ~Test() = default;
  Test(const Test &) = delete;
  Test &operator=(const Test &) = delete;
  void SetUp() {}
  void TearDown() {}
};

// A value of any type that can be drawn, which acts as one of that type.
template <class T, class = void>
class Symbolic {
 public:
  Symbolic(PROBITY_CALLER) : value(::probity::detail::Draw<T>::draw(file, line)) {}
  Symbolic(const T &that) : value(that) {}
  operator T() const { return value; }
  Symbolic &operator=(const T &that) {
    value = that;
    return *this;
  }
  T value;
};

template <class T>
class Symbolic<T &> {};

template <class T>
class Symbolic<T, typename std::enable_if<std::is_arithmetic<T>::value>::type> {
 public:
  Symbolic(PROBITY_CALLER) : value(::probity::detail::Draw<T>::draw(file, line)) {}
  Symbolic(T that) : value(that) {}
  Symbolic(const Symbolic &that) = default;
  Symbolic &operator=(const Symbolic &that) = default;
  operator T() const { return value; }
  Symbolic &operator=(T that) {
    value = that;
    return *this;
  }
  Symbolic &operator+=(T that) { return *this = static_cast<T>(value + that); }
  Symbolic &operator-=(T that) { return *this = static_cast<T>(value - that); }
  Symbolic &operator*=(T that) { return *this = static_cast<T>(value * that); }
  Symbolic &operator/=(T that) { return *this = static_cast<T>(value / that); }
  template <class U>
  Symbolic &operator%=(U that) { return *this = static_cast<T>(value % that); }
  template <class U>
  Symbolic &operator&=(U that) { return *this = static_cast<T>(value & that); }
  template <class U>
  Symbolic &operator|=(U that) { return *this = static_cast<T>(value | that); }
  template <class U>
  Symbolic &operator^=(U that) { return *this = static_cast<T>(value ^ that); }
  template <class U>
  Symbolic &operator>>=(U that) { return *this = static_cast<T>(value >> that); }
  template <class U>
  Symbolic &operator<<=(U that) { return *this = static_cast<T>(value << that); }
  T &operator++() { return ++value; }
  T &operator--() { return --value; }
  T operator++(int) { return value++; }
  T operator--(int) { return value--; }
  T value;
};

// A list of bytes, characters or anything else, of a length that is given or of 0 to 32.
template <class T>
class SymbolicLinearContainer {
 public:
  SymbolicLinearContainer(PROBITY_CALLER) {
    ::probity::detail::draw_list(value, 0, ::probity::detail::items_max, file, line);
  }
  explicit SymbolicLinearContainer(size_t n, PROBITY_CALLER) {
    ::probity::detail::draw_list(value, n, n, file, line);
  }
  operator T() const { return value; }
  T value;
};
#define DEEPSTATE_LIST_(type)                                                                   \
  SymbolicLinearContainer<type> {                                                               \
   public:                                                                                      \
    Symbolic(PROBITY_CALLER) : SymbolicLinearContainer<type>(file, line) {}                     \
    explicit Symbolic(size_t n, PROBITY_CALLER) : SymbolicLinearContainer<type>(n, file, line) {} \
  }
template <>
class Symbolic<std::string, void> : public DEEPSTATE_LIST_(std::string);
template <>
class Symbolic<std::wstring, void> : public DEEPSTATE_LIST_(std::wstring);
template <class T>
class Symbolic<std::vector<T>, void> : public DEEPSTATE_LIST_(std::vector<T>);
#undef DEEPSTATE_LIST_

template <class T>
std::ostream &operator<<(std::ostream &out, const Symbolic<T> &it) {
  ::probity::detail::print(out, it.value, 0);
  return out;
}

using symbolic_char = Symbolic<char>;
using symbolic_short = Symbolic<short>;
using symbolic_int = Symbolic<int>;
using symbolic_unsigned = Symbolic<unsigned>;
using symbolic_long = Symbolic<long>;
using symbolic_int8_t = Symbolic<int8_t>;
using symbolic_uint8_t = Symbolic<uint8_t>;
using symbolic_int16_t = Symbolic<int16_t>;
using symbolic_uint16_t = Symbolic<uint16_t>;
using symbolic_int32_t = Symbolic<int32_t>;
using symbolic_uint32_t = Symbolic<uint32_t>;
using symbolic_int64_t = Symbolic<int64_t>;
using symbolic_uint64_t = Symbolic<uint64_t>;
using symbolic_bool = Symbolic<bool>;
using symbolic_float = Symbolic<float>;
using symbolic_double = Symbolic<double>;

template <class T>
bool IsSymbolic(const T &) {
  return false;
}

// ---- The least and the greatest value, and several of them; see DeepState.h.

namespace detail {
// Numbers with a sign in the order of those without.
template <class T>
uint64_t shifted(T it) {
  const uint64_t sign = std::is_signed<T>::value ? uint64_t(1) << (8 * sizeof(T) - 1) : 0;
  return (static_cast<uint64_t>(it) ^ sign) & (~uint64_t(0) >> (64 - 8 * sizeof(T)));
}
template <class T>
T pumped(T it, unsigned max, unsigned order) {
  const uint64_t sign = std::is_signed<T>::value ? uint64_t(1) << (8 * sizeof(T) - 1) : 0;
  return static_cast<T>(probity_pump(shifted(it), max, order) ^ sign);
}
template <class T>
struct Plain {
  using Type = T;
};
template <class T>
struct Plain<Symbolic<T>> {
  using Type = T;
};
}  // namespace detail

template <class T>
typename detail::Plain<T>::Type Minimize(T it) {
  return detail::pumped(static_cast<typename detail::Plain<T>::Type>(it), 1, 0);
}
template <class T>
typename detail::Plain<T>::Type Maximize(T it) {
  return detail::pumped(static_cast<typename detail::Plain<T>::Type>(it), 1, 1);
}
template <class T>
typename detail::Plain<T>::Type Pump(T it, unsigned max = 10) {
  return detail::pumped(static_cast<typename detail::Plain<T>::Type>(it), max, 0);
}
template <class T>
typename detail::Plain<T>::Type MaxPump(T it, unsigned max = 10) {
  return detail::pumped(static_cast<typename detail::Plain<T>::Type>(it), max, 1);
}
template <class T>
typename detail::Plain<T>::Type MinMaxPump(T it, unsigned max = 10) {
  return detail::pumped(static_cast<typename detail::Plain<T>::Type>(it), max, 2);
}

// ---- Properties.

namespace detail {
template <class... Args, class F>
void for_all(F &func, const char *file, unsigned line) {
  func(static_cast<typename std::decay<Args>::type>(Symbolic<typename std::decay<Args>::type>(file, line).value)...);
}
}  // namespace detail

template <class... Args>
void ForAll(void (*func)(Args...), PROBITY_CALLER) {
  detail::for_all<Args...>(func, file, line);
}
template <class... Args, class F>
void ForAll(F func, PROBITY_CALLER) {
  detail::for_all<Args...>(func, file, line);
}

// ---- One of several.

namespace detail {
struct Arms {
  const char *file;
  unsigned line;
  const char *texts;
};

// An item of a list, by its number. Ends its alternative at once.
inline size_t pick(const Arms &at, size_t n, const char *what) {
  if (n == 0) {
    probity_reject(what, at.file, at.line);
  }
  return probity_pick(n, at.file, at.line);
}

template <class... Fs>
void OneOfAt(const Arms &at, Fs &&...funcs) {
  ::probity::detail::one_of(at.file, at.line, at.texts, std::forward<Fs>(funcs)...);
}
inline char OneOfAt(const Arms &at, const char *text) {
  return text[pick(at, text ? strlen(text) : 0, "OneOf of a text that is not empty")];
}
inline char OneOfAt(const Arms &at, char *text) { return OneOfAt(at, static_cast<const char *>(text)); }
template <size_t n>
char OneOfAt(const Arms &at, const char (&text)[n]) {
  return OneOfAt(at, static_cast<const char *>(text));
}
template <class T>
const T &OneOfAt(const Arms &at, const std::vector<T> &its) {
  return its[pick(at, its.size(), "OneOf of a vector that is not empty")];
}
template <class T>
const T &OneOfAt(const Arms &at, std::vector<T> &its) {
  return its[pick(at, its.size(), "OneOf of a vector that is not empty")];
}
template <class T, size_t n>
const T &OneOfAt(const Arms &at, T (&its)[n]) {
  return its[pick(at, n, "")];
}

// Parts of one for each alternative: what is below zero shares what the others leave.
inline void fill_parts(std::vector<double> &parts, const Arms &at) {
  double sum = 0;
  size_t missing = 0;
  for (double it : parts) {
    if (it >= 0) {
      sum += it;
    } else {
      ++missing;
    }
  }
  if (sum > 1.0 || (missing == 0 && sum < 0.999)) {
    probity_fail("the probabilities of OneOfP do not add up to 1", at.file, at.line);
  }
  for (double &it : parts) {
    if (it < 0) {
      it = (1.0 - sum) / static_cast<double>(missing);
    }
  }
}
inline size_t pick_part(std::initializer_list<double> given, size_t n, const Arms &at) {
  if (given.size() > n || n == 0) {
    probity_fail("OneOfP has more probabilities than alternatives", at.file, at.line);
  }
  std::vector<double> parts(given);
  parts.resize(n, -1.0);
  fill_parts(parts, at);
  const size_t res = probity_one_of_weighted(n, parts.data(), nullptr, at.file, at.line);
  probity_end_one_of();
  return res;
}
inline void split(std::vector<double> &, std::vector<std::function<void()>> &) {}
template <class F, class... Rest>
void split(std::vector<double> &parts, std::vector<std::function<void()>> &funcs, double part, F &&func, Rest &&...rest) {
  parts.push_back(part);
  funcs.emplace_back(std::forward<F>(func));
  split(parts, funcs, std::forward<Rest>(rest)...);
}
template <class... Args>
void OneOfPAt(const Arms &at, double part, Args &&...args) {
  std::vector<double> parts;
  std::vector<std::function<void()>> funcs;
  split(parts, funcs, part, std::forward<Args>(args)...);
  fill_parts(parts, at);
  const size_t index = probity_one_of_weighted(parts.size(), parts.data(), nullptr, at.file, at.line);
  ::probity::detail::Alternative alternative;
  funcs[index]();
}
template <class T>
const T &OneOfPAt(const Arms &at, std::initializer_list<double> parts, const std::vector<T> &its) {
  return its[pick_part(parts, its.size(), at)];
}
template <class T, size_t n>
const T &OneOfPAt(const Arms &at, std::initializer_list<double> parts, T (&its)[n]) {
  return its[pick_part(parts, n, at)];
}
}  // namespace detail

// Their macros say where they are.
using detail::OneOfAt;
using detail::OneOfPAt;
using DeepStateArms = detail::Arms;

}  // namespace deepstate

#define DEEPSTATE_ARMS_(texts) \
  { __FILE__, __LINE__, texts }
#define OneOf(...) OneOfAt(DEEPSTATE_ARMS_(#__VA_ARGS__), __VA_ARGS__)
#define OneOfP(...) OneOfPAt(DEEPSTATE_ARMS_(#__VA_ARGS__), __VA_ARGS__)
// Random cases leave alternatives out by themselves: the forms differ in DeepState's builds alone.
#define NoSwarmOneOf(...) OneOfAt(DEEPSTATE_ARMS_(#__VA_ARGS__), __VA_ARGS__)
#define PureSwarmOneOf(...) OneOfAt(DEEPSTATE_ARMS_(#__VA_ARGS__), __VA_ARGS__)
#define MixedSwarmOneOf(...) OneOfAt(DEEPSTATE_ARMS_(#__VA_ARGS__), __VA_ARGS__)
#define ProbSwarmOneOf(...) OneOfAt(DEEPSTATE_ARMS_(#__VA_ARGS__), __VA_ARGS__)
#define ONE_OF ::deepstate::OneOf

// ---- Texts.

namespace deepstate {

inline void AssignCStrAt(const char *file, unsigned line, char *to, size_t len, const char *allowed = nullptr) {
  probity_text(to, len, allowed, file, line);
}
inline void AssignCStrUpToLenAt(const char *file, unsigned line, char *to, size_t max, const char *allowed = nullptr) {
  const char *text = probity_string(0, max, allowed, file, line);
  memcpy(to, text, strlen(text) + 1);
}
inline char *CStrAt(const char *file, unsigned line, size_t len, const char *allowed = nullptr) {
  return DeepState_CStr_CAt(len, allowed, file, line);
}
inline char *CStrUpToLenAt(const char *file, unsigned line, size_t max, const char *allowed = nullptr) {
  return probity_string(0, max, allowed, file, line);
}
inline void SymbolizeCStrAt(const char *file, unsigned line, char *begin, const char *allowed = nullptr) {
  DeepState_SwarmSymbolizeCStr_C(file, line, 0, begin, allowed);
}

}  // namespace deepstate

#define DeepState_AssignCStr(...) ::deepstate::AssignCStrAt(PROBITY_HERE, __VA_ARGS__)
#define DeepState_AssignCStrUpToLen(...) ::deepstate::AssignCStrUpToLenAt(PROBITY_HERE, __VA_ARGS__)
#define DeepState_CStr(...) ::deepstate::CStrAt(PROBITY_HERE, __VA_ARGS__)
#define DeepState_CStrUpToLen(...) ::deepstate::CStrUpToLenAt(PROBITY_HERE, __VA_ARGS__)
#define DeepState_SymbolizeCStr(...) ::deepstate::SymbolizeCStrAt(PROBITY_HERE, __VA_ARGS__)
#define DeepState_NoSwarmAssignCStr DeepState_AssignCStr
#define DeepState_PureSwarmAssignCStr DeepState_AssignCStr
#define DeepState_MixedSwarmAssignCStr DeepState_AssignCStr
#define DeepState_ProbSwarmAssignCStr DeepState_AssignCStr
#define DeepState_NoSwarmAssignCStrUpToLen DeepState_AssignCStrUpToLen
#define DeepState_PureSwarmAssignCStrUpToLen DeepState_AssignCStrUpToLen
#define DeepState_MixedSwarmAssignCStrUpToLen DeepState_AssignCStrUpToLen
#define DeepState_ProbSwarmAssignCStrUpToLen DeepState_AssignCStrUpToLen
#define DeepState_NoSwarmCStr DeepState_CStr
#define DeepState_PureSwarmCStr DeepState_CStr
#define DeepState_MixedSwarmCStr DeepState_CStr
#define DeepState_ProbSwarmCStr DeepState_CStr
#define DeepState_NoSwarmCStrUpToLen DeepState_CStrUpToLen
#define DeepState_PureSwarmCStrUpToLen DeepState_CStrUpToLen
#define DeepState_MixedSwarmCStrUpToLen DeepState_CStrUpToLen
#define DeepState_ProbSwarmCStrUpToLen DeepState_CStrUpToLen
#define DeepState_NoSwarmSymbolizeCStr DeepState_SymbolizeCStr
#define DeepState_PureSwarmSymbolizeCStr DeepState_SymbolizeCStr
#define DeepState_MixedSwarmSymbolizeCStr DeepState_SymbolizeCStr
#define DeepState_ProbSwarmSymbolizeCStr DeepState_SymbolizeCStr

// ---- Logs and checks.

namespace deepstate {

// A line of a log, which is made only where somebody reads it: in the case that is reported. An error fails the case.
class Stream {
 public:
  Stream(DeepState_LogLevel level, bool is_on, PROBITY_CALLER)
      : level_(level), file_(file), line_(line), text_(is_on && DeepState_IsLogged_(level) ? new std::ostringstream : nullptr) {}
  Stream(Stream &&other) noexcept : level_(other.level_), file_(other.file_), line_(other.line_), text_(other.text_) {
    other.text_ = nullptr;
  }
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  template <class T>
  Stream &operator<<(const T &it) {
    if (text_) {
      *text_ << it;
    }
    return *this;
  }
  Stream &operator<<(std::nullptr_t) { return *this << "nullptr"; }

  ~Stream() noexcept(false) {
    if (!text_) {
      return;
    }
    char *kept = nullptr;
    {
      // Nothing may be left behind: perhaps nobody comes back.
      const std::string text = text_->str();
      delete text_;
      kept = static_cast<char *>(probity_alloc(text.size() + 1));
      memcpy(kept, text.c_str(), text.size() + 1);
    }
    DeepState_LogAt_(level_, kept, file_, line_);
  }

 private:
  DeepState_LogLevel level_;
  const char *file_;
  unsigned line_;
  std::ostringstream *text_;
};

}  // namespace deepstate

#define LOG_DEBUG(cond) ::deepstate::Stream(DeepState_LogDebug, (cond), __FILE__, __LINE__)
#define LOG_TRACE(cond) ::deepstate::Stream(DeepState_LogTrace, (cond), __FILE__, __LINE__)
#define LOG_INFO(cond) ::deepstate::Stream(DeepState_LogInfo, (cond), __FILE__, __LINE__)
#define LOG_WARNING(cond) ::deepstate::Stream(DeepState_LogWarning, (cond), __FILE__, __LINE__)
#define LOG_WARN(cond) ::deepstate::Stream(DeepState_LogWarning, (cond), __FILE__, __LINE__)
#define LOG_ERROR(cond) ::deepstate::Stream(DeepState_LogError, (cond), __FILE__, __LINE__)
#define LOG_FATAL(cond) ::deepstate::Stream(DeepState_LogFatal, (cond), __FILE__, __LINE__)
#define LOG_CRITICAL(cond) ::deepstate::Stream(DeepState_LogFatal, (cond), __FILE__, __LINE__)
#define LOG(LEVEL) LOG_##LEVEL(true)
#define LOG_IF(LEVEL, cond) LOG_##LEVEL(cond)

#define DEEPSTATE_REQUIRE_(kind, expr) \
  ::probity::detail::require(::probity::detail::Ending::kind, static_cast<bool>(expr), #expr, __FILE__, __LINE__)

#define ASSERT(expr) DEEPSTATE_REQUIRE_(fails, expr)
#define ASSERT_TRUE(expr) DEEPSTATE_REQUIRE_(fails, expr)
#define ASSERT_FALSE(expr) DEEPSTATE_REQUIRE_(fails, !(expr))
#define ASSERT_EQ(a, b) PROBITY_COMPARE(Eq, fails, a, b)
#define ASSERT_NE(a, b) PROBITY_COMPARE(Ne, fails, a, b)
#define ASSERT_LT(a, b) PROBITY_COMPARE(Lt, fails, a, b)
#define ASSERT_LE(a, b) PROBITY_COMPARE(Le, fails, a, b)
#define ASSERT_GT(a, b) PROBITY_COMPARE(Gt, fails, a, b)
#define ASSERT_GE(a, b) PROBITY_COMPARE(Ge, fails, a, b)

#define CHECK(expr) DEEPSTATE_REQUIRE_(fails_softly, expr)
#define CHECK_TRUE(expr) DEEPSTATE_REQUIRE_(fails_softly, expr)
#define CHECK_FALSE(expr) DEEPSTATE_REQUIRE_(fails_softly, !(expr))
#define CHECK_EQ(a, b) PROBITY_COMPARE(Eq, fails_softly, a, b)
#define CHECK_NE(a, b) PROBITY_COMPARE(Ne, fails_softly, a, b)
#define CHECK_LT(a, b) PROBITY_COMPARE(Lt, fails_softly, a, b)
#define CHECK_LE(a, b) PROBITY_COMPARE(Le, fails_softly, a, b)
#define CHECK_GT(a, b) PROBITY_COMPARE(Gt, fails_softly, a, b)
#define CHECK_GE(a, b) PROBITY_COMPARE(Ge, fails_softly, a, b)

#define DEEPSTATE_ASSUME_(op, a, b)                                                                                     \
  ::probity::detail::require(::probity::detail::Ending::rejects, ::probity::detail::op::holds((a), (b)), \
                             #a " " #op " " #b, __FILE__, __LINE__)
#define ASSUME(expr) DEEPSTATE_REQUIRE_(rejects, expr)
#define ASSUME_TRUE(expr) DEEPSTATE_REQUIRE_(rejects, expr)
#define ASSUME_FALSE(expr) DEEPSTATE_REQUIRE_(rejects, !(expr))
#define ASSUME_EQ(a, b) DEEPSTATE_ASSUME_(Eq, a, b)
#define ASSUME_NE(a, b) DEEPSTATE_ASSUME_(Ne, a, b)
#define ASSUME_LT(a, b) DEEPSTATE_ASSUME_(Lt, a, b)
#define ASSUME_LE(a, b) DEEPSTATE_ASSUME_(Le, a, b)
#define ASSUME_GT(a, b) DEEPSTATE_ASSUME_(Gt, a, b)
#define ASSUME_GE(a, b) DEEPSTATE_ASSUME_(Ge, a, b)

// ---- Tests.

#define DEEPSTATE_TEST_(id)                                                            \
  static void DeepState_Test_##id();                                                   \
  PROBITY_REGISTER(id, #id, (::probity::detail::run<DeepState_Test_##id>))             \
  static void DeepState_Test_##id()
#undef DeepState_EntryPoint
#define DeepState_EntryPoint(name) DEEPSTATE_TEST_(name)
#define TEST(category, name) DEEPSTATE_TEST_(category##_##name)
#define TEST_F(fixture, name)                                                                                   \
  class fixture##_##name : public fixture {                                                                     \
   public:                                                                                                      \
    void DoRunTest();                                                                                           \
    static void RunTest() {                                                                                     \
      fixture##_##name self;                                                                                    \
      self.SetUp();                                                                                             \
      self.DoRunTest();                                                                                         \
      self.TearDown();                                                                                          \
    }                                                                                                           \
  };                                                                                                            \
  PROBITY_REGISTER(fixture##_##name, #fixture "_" #name, (::probity::detail::run<fixture##_##name::RunTest>))   \
  void fixture##_##name::DoRunTest()

#endif  // PROBITY_DEEPSTATE_HPP
