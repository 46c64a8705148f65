// Probity for C++11 and later: draws by type, tests with exceptions, texts of values. See probity.h.
//
//     #include <probity.hpp>
//
//     PROBITY_TEST(reversing_twice) {
//       auto v = probity::draw<std::vector<int>>();
//       auto w = v;
//       std::reverse(w.begin(), w.end());
//       std::reverse(w.begin(), w.end());
//       PROBITY_EQ(v, w);
//     }
#ifndef PROBITY_HPP
#define PROBITY_HPP

#include "probity.h"

#include <cstring>
#include <exception>
#include <initializer_list>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#if defined(__GLIBCXX__) || defined(_LIBCPP_VERSION)
#include <cstdlib>
#include <cxxabi.h>
#define PROBITY_HAS_CXXABI 1
#endif

// Where a function is called: as default arguments.
#define PROBITY_CALLER const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()

namespace probity {
namespace detail {

// ---- Values as texts.

template <class T>
struct always_false : std::false_type {};

// All of them first, so that those of lists find those of items.
template <class T>
auto print(std::ostream &out, const T &it, int) -> decltype(out << it, void());
template <class T>
void print(std::ostream &out, const std::vector<T> &its, int);
template <class A, class B>
void print(std::ostream &out, const std::pair<A, B> &it, int);
template <class T>
void print(std::ostream &out, const T &, long);

template <class T>
auto print(std::ostream &out, const T &it, int) -> decltype(out << it, void()) {
  out << it;
}
inline void print(std::ostream &out, bool it, int) { out << (it ? "true" : "false"); }
inline void print_char(std::ostream &out, unsigned char it) {
  if (it >= ' ' && it <= '~') {
    out << '\'' << static_cast<char>(it) << '\'';
  } else {
    out << static_cast<int>(it);
  }
}
inline void print(std::ostream &out, char it, int) { print_char(out, static_cast<unsigned char>(it)); }
inline void print(std::ostream &out, signed char it, int) { out << static_cast<int>(it); }
inline void print(std::ostream &out, unsigned char it, int) { out << static_cast<int>(it); }
inline void print(std::ostream &out, std::nullptr_t, int) { out << "nullptr"; }
inline void print_text(std::ostream &out, const char *it, std::size_t n) {
  out << '"';
  for (std::size_t at = 0; at < n; ++at) {
    const unsigned char c = static_cast<unsigned char>(it[at]);
    if (c == '"' || c == '\\') {
      out << '\\' << it[at];
    } else if (c >= ' ' && c <= '~') {
      out << it[at];
    } else {
      out << '\\' << static_cast<char>('0' + (c >> 6)) << static_cast<char>('0' + (c >> 3 & 7))
          << static_cast<char>('0' + (c & 7));
    }
  }
  out << '"';
}
inline void print(std::ostream &out, const char *it, int) {
  if (it) {
    print_text(out, it, std::strlen(it));
  } else {
    out << "nullptr";
  }
}
inline void print(std::ostream &out, char *it, int) { print(out, static_cast<const char *>(it), 0); }
inline void print(std::ostream &out, const std::string &it, int) { print_text(out, it.data(), it.size()); }
template <class T>
void print(std::ostream &out, const std::vector<T> &its, int) {
  out << '{';
  const char *between = "";
  for (const auto &it : its) {
    out << between;
    print(out, static_cast<const T &>(it), 0);
    between = ", ";
  }
  out << '}';
}
template <class A, class B>
void print(std::ostream &out, const std::pair<A, B> &it, int) {
  out << '{';
  print(out, it.first, 0);
  out << ", ";
  print(out, it.second, 0);
  out << '}';
}
template <class T>
void print(std::ostream &out, const T &, long) {
  out << "(" << sizeof(T) << " bytes)";
}

template <class T>
std::string text(const T &it) {
  std::ostringstream out;
  print(out, it, 0);
  return out.str();
}

// The name of the exception that is caught.
inline std::string demangled(const char *name) {
#ifdef PROBITY_HAS_CXXABI
  int status = 0;
  char *it = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  if (status == 0 && it) {
    std::string res = it;
    std::free(it);
    return res;
  }
#endif
  return name;
}

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
struct Thrown {
  char type[256];
  char what[1024];
};

inline void copy(char *to, std::size_t size, const char *text) {
  std::strncpy(to, text, size - 1);
  to[size - 1] = 0;
}

// What the C++ library knows of exceptions on this thread. A case that is left within a handler leaves it behind.
inline void forget_exceptions() {
#ifdef PROBITY_HAS_CXXABI
  struct Globals {
    void *caught;
    unsigned uncaught;
  };
  auto *globals = reinterpret_cast<Globals *>(abi::__cxa_get_globals());
  globals->caught = nullptr;
  globals->uncaught = 0;
#endif
}

// Runs a test; an exception that it lets out is a failure.
inline void guarded(void (*body)()) {
  Thrown thrown;
  forget_exceptions();
  try {
    body();
    return;
  } catch (const std::exception &it) {
#if defined(__GXX_RTTI) || defined(__cpp_rtti)
    copy(thrown.type, sizeof thrown.type, demangled(typeid(it).name()).c_str());
#else
    copy(thrown.type, sizeof thrown.type, "an exception");
#endif
    copy(thrown.what, sizeof thrown.what, it.what());
  } catch (...) {
    const char *type = "an exception";
#ifdef PROBITY_HAS_CXXABI
    const std::type_info *info = abi::__cxa_current_exception_type();
    type = info ? info->name() : type;
#endif
    copy(thrown.type, sizeof thrown.type, demangled(type).c_str());
    thrown.what[0] = 0;
  }
  probity_threw(thrown.type, thrown.what);
}
#else
inline void guarded(void (*body)()) { body(); }
#endif

template <void (*body)()>
void run() {
  guarded(body);
}

// ---- Draws by type. Specialize it for a type of your own: `draw` draws one.

template <class T, class = void>
struct Draw {
  static_assert(std::is_trivially_copyable<T>::value, "specialize probity::detail::Draw for this type, or draw its parts");
  static T draw(const char *file, unsigned line) {
    T it;
    probity_bytes(&it, sizeof it, 0, file, line);
    return it;
  }
};

template <class T>
struct Draw<T, typename std::enable_if<std::is_integral<T>::value && std::is_signed<T>::value>::type> {
  static T between(T min, T max, const char *file, unsigned line) {
    return static_cast<T>(probity_int64(min, max, sizeof(T), file, line));
  }
  static T draw(const char *file, unsigned line) {
    return between(std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), file, line);
  }
};

template <class T>
struct Draw<T, typename std::enable_if<std::is_integral<T>::value && !std::is_signed<T>::value>::type> {
  static T between(T min, T max, const char *file, unsigned line) {
    return static_cast<T>(probity_uint64(min, max, sizeof(T), file, line));
  }
  static T draw(const char *file, unsigned line) {
    return between(std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), file, line);
  }
};

template <>
struct Draw<char> {
  static char between(char min, char max, const char *file, unsigned line) {
    return static_cast<char>(probity_character(min, max, file, line));
  }
  static char draw(const char *file, unsigned line) { return between(CHAR_MIN, CHAR_MAX, file, line); }
};

template <>
struct Draw<bool> {
  static bool draw(const char *file, unsigned line) { return probity_bool(file, line) != 0; }
};

template <>
struct Draw<double> {
  static double between(double min, double max, const char *file, unsigned line) {
    return probity_double(min, max, 0, file, line);
  }
  static double draw(const char *file, unsigned line) {
    const double most = std::numeric_limits<double>::infinity();
    return probity_double(-most, most, 1, file, line);
  }
};

template <>
struct Draw<float> {
  static float between(float min, float max, const char *file, unsigned line) {
    return probity_float(min, max, 0, file, line);
  }
  static float draw(const char *file, unsigned line) {
    const float most = std::numeric_limits<float>::infinity();
    return probity_float(-most, most, 1, file, line);
  }
};

// How many items a list has at most, unless it says otherwise.
const std::size_t items_max = 32;

template <class List>
void draw_list(List &list, std::size_t min, std::size_t max, const char *file, unsigned line) {
  probity_begin_input();
  const std::size_t n = probity_begin_list(min, max);
  list.reserve(n);
  for (std::size_t at = 0; at < n; ++at) {
    probity_begin_item();
    list.push_back(Draw<typename List::value_type>::draw(file, line));
    probity_end_item();
  }
  probity_end_list();
  if (probity_is_rendering()) {
    probity_end_input(text(list).c_str(), file, line);
  } else {
    probity_end_input(nullptr, file, line);
  }
}

template <class T, class A>
struct Draw<std::vector<T, A>> {
  static std::vector<T, A> draw(const char *file, unsigned line) {
    std::vector<T, A> it;
    draw_list(it, 0, items_max, file, line);
    return it;
  }
};

template <class C, class Tr, class A>
struct Draw<std::basic_string<C, Tr, A>> {
  static std::basic_string<C, Tr, A> draw(const char *file, unsigned line) {
    std::basic_string<C, Tr, A> it;
    draw_list(it, 0, items_max, file, line);
    return it;
  }
};

template <class A, class B>
struct Draw<std::pair<A, B>> {
  static std::pair<A, B> draw(const char *file, unsigned line) {
    A first = Draw<A>::draw(file, line);
    return std::pair<A, B>(std::move(first), Draw<B>::draw(file, line));
  }
};

// ---- Comparisons.

// Where two numbers differ, they are compared byte by byte, so that an engine that sees which code runs learns how near
// they are.
__attribute__((noinline)) inline int equal_bytes(std::uint64_t a, std::uint64_t b) {
  volatile int res = 0;
  if ((a & 0xff) != (b & 0xff)) {
    res = 0;
  } else if ((a >> 8 & 0xff) != (b >> 8 & 0xff)) {
    res = 1;
  } else if ((a >> 16 & 0xff) != (b >> 16 & 0xff)) {
    res = 2;
  } else if ((a >> 24 & 0xff) != (b >> 24 & 0xff)) {
    res = 3;
  } else if ((a >> 32 & 0xff) != (b >> 32 & 0xff)) {
    res = 4;
  } else if ((a >> 40 & 0xff) != (b >> 40 & 0xff)) {
    res = 5;
  } else if ((a >> 48 & 0xff) != (b >> 48 & 0xff)) {
    res = 6;
  } else {
    res = 7;
  }
  return res;
}

template <class A, class B, bool is_number>
struct Ladder {
  static void climb(const A &, const B &) {}
};
template <class A, class B>
struct Ladder<A, B, true> {
  static void climb(const A &a, const B &b) {
    if (probity_compares_bytes()) {
      equal_bytes(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
    }
  }
};

template <class A, class B>
void climb(const A &a, const B &b) {
  Ladder<A, B, std::is_integral<A>::value && std::is_integral<B>::value>::climb(a, b);
}

// What two values are compared by. Warnings of comparing signed with unsigned are for those who write `a < b`.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wfloat-equal"
#endif
struct Eq {
  template <class A, class B>
  static bool holds(const A &a, const B &b) {
    const bool res = a == b;
    if (!res) {
      climb(a, b);
    }
    return res;
  }
  static const char *sign() { return "=="; }
};
struct Ne {
  template <class A, class B>
  static bool holds(const A &a, const B &b) {
    const bool res = a != b;
    if (res) {
      climb(a, b);
    }
    return res;
  }
  static const char *sign() { return "!="; }
};
#define PROBITY_COMPARISON(name, op)            \
  struct name {                                 \
    template <class A, class B>                 \
    static bool holds(const A &a, const B &b) { \
      return a op b;                            \
    }                                           \
    static const char *sign() { return #op; }   \
  };
PROBITY_COMPARISON(Lt, <)
PROBITY_COMPARISON(Le, <=)
PROBITY_COMPARISON(Gt, >)
PROBITY_COMPARISON(Ge, >=)
#undef PROBITY_COMPARISON
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

// What a failing comparison says: its text, and the values where they say more.
template <class A, class B>
std::string compared(const char *a, const char *sign, const char *b, const A &x, const B &y) {
  std::string res = std::string(a) + " " + sign + " " + b;
  const std::string left = text(x), right = text(y);
  if (left != a || right != b) {
    res += " (" + left + " and " + right + ")";
  }
  return res;
}

// What a case ends with, if it does: a message that `<<` adds to.
class Ending {
 public:
  enum Kind { passes, fails, fails_softly, rejects };

  Ending() : kind_(passes), file_(nullptr), line_(0), text_(nullptr) {}
  Ending(Kind kind, const std::string &text, const char *file, unsigned line)
      : kind_(kind), file_(file), line_(line), text_(new std::ostringstream) {
    *text_ << text;
  }
  Ending(Ending &&other) noexcept : kind_(other.kind_), file_(other.file_), line_(other.line_), text_(other.text_) {
    other.kind_ = passes;
    other.text_ = nullptr;
  }
  Ending(const Ending &) = delete;
  Ending &operator=(const Ending &) = delete;

  template <class T>
  Ending &operator<<(const T &it) {
    if (text_) {
      if (!has_more_) {
        *text_ << ": ";
        has_more_ = true;
      }
      *text_ << it;
    }
    return *this;
  }

  ~Ending() noexcept(false) {
    if (kind_ == passes) {
      return;
    }
    char *kept = take();
    if (kind_ == fails_softly) {
      probity_soft_fail(kept, file_, line_);
    } else {
      probity_fail(kept, file_, line_);
    }
  }

 private:
  // Nothing may be left behind: nobody comes back.
  char *take() {
    std::string text = text_->str();
    delete text_;
    text_ = nullptr;
    char *kept = static_cast<char *>(probity_alloc(text.size() + 1));
    if (kept) {
      std::memcpy(kept, text.c_str(), text.size() + 1);
    }
    return kept;
  }

  Kind kind_;
  const char *file_;
  unsigned line_;
  std::ostringstream *text_;
  bool has_more_ = false;
};

template <class Op, class A, class B>
Ending compare(Ending::Kind kind, const A &x, const B &y, const char *a, const char *b, const char *file, unsigned line) {
  if (__builtin_expect(Op::holds(x, y), 1)) {
    return Ending();
  }
  if (kind == Ending::rejects) {
    probity_reject(a, file, line);
  }
  return Ending(kind, compared(a, Op::sign(), b, x, y), file, line);
}

inline Ending require(Ending::Kind kind, bool holds, const char *text, const char *file, unsigned line) {
  if (__builtin_expect(holds, 1)) {
    return Ending();
  }
  if (kind == Ending::rejects) {
    probity_reject(text, file, line);
  }
  return Ending(kind, text, file, line);
}

// Ends an alternative of `one_of`, also where an exception leaves it.
struct Alternative {
  ~Alternative() { probity_end_one_of(); }
};

inline void pick_from(std::size_t) {}
template <class F, class... Fs>
void pick_from(std::size_t at, F &&first, Fs &&...rest) {
  if (at == 0) {
    first();
  } else {
    pick_from(at - 1, std::forward<Fs>(rest)...);
  }
}

template <class... Fs>
void one_of(const char *file, unsigned line, const char *texts, Fs &&...alternatives) {
  const std::size_t at = probity_one_of(sizeof...(Fs), texts, file, line);
  Alternative alternative;
  pick_from(at, std::forward<Fs>(alternatives)...);
}

}  // namespace detail

// A value of a type: of a number, a bool, a string, a vector, a pair, or a struct of plain data.
template <class T>
T draw(PROBITY_CALLER) {
  return detail::Draw<T>::draw(file, line);
}

// A number of `min..max`, both included.
template <class T>
T draw(T min, typename std::common_type<T>::type max, PROBITY_CALLER) {
  return detail::Draw<T>::between(min, max, file, line);
}

// A list of `min` to `max` items.
template <class List>
List draw_list(std::size_t min, std::size_t max, PROBITY_CALLER) {
  List it;
  detail::draw_list(it, min, max, file, line);
  return it;
}

// A string of `min` to `max` of the characters in `allowed`.
inline std::string draw_string(std::size_t min, std::size_t max, const char *allowed = nullptr, PROBITY_CALLER) {
  return probity_string(min, max, allowed, file, line);
}

// Runs `step` from `min` to `max` times. Each step is shrunk as a whole: what fails needs all that are left.
template <class F>
void steps(std::size_t min, std::size_t max, F &&step) {
  const std::size_t n = probity_begin_list(min, max);
  for (std::size_t at = 0; at < n; ++at) {
    probity_begin_item();
    step();
    probity_end_item();
  }
  probity_end_list();
}

// See probity_pump.
template <class T>
T pump(T value, unsigned max = 10, unsigned order = 0) {
  return static_cast<T>(probity_pump(static_cast<std::uint64_t>(value), max, order));
}

}  // namespace probity

// One of several lambdas, each as likely.
#define PROBITY_ONE_OF(...) ::probity::detail::one_of(__FILE__, __LINE__, #__VA_ARGS__, __VA_ARGS__)

#define PROBITY_COMPARE(op, kind, a, b) \
  ::probity::detail::compare< ::probity::detail::op>(::probity::detail::Ending::kind, (a), (b), #a, #b, __FILE__, __LINE__)
#define PROBITY_EQ(a, b) PROBITY_COMPARE(Eq, fails, a, b)
#define PROBITY_NE(a, b) PROBITY_COMPARE(Ne, fails, a, b)
#define PROBITY_LT(a, b) PROBITY_COMPARE(Lt, fails, a, b)
#define PROBITY_LE(a, b) PROBITY_COMPARE(Le, fails, a, b)
#define PROBITY_GT(a, b) PROBITY_COMPARE(Gt, fails, a, b)
#define PROBITY_GE(a, b) PROBITY_COMPARE(Ge, fails, a, b)

// A test, and one of a fixture: a class with SetUp and TearDown that is made anew for each case.
#define PROBITY_TEST(name)                                                             \
  static void probity_body_##name();                                                   \
  PROBITY_REGISTER(name, #name, (::probity::detail::run<probity_body_##name>))         \
  static void probity_body_##name()
#define PROBITY_TEST_F(fixture, name)                                                  \
  struct probity_fixture_##fixture##_##name : public fixture {                         \
    void probity_body();                                                               \
    static void probity_run() {                                                        \
      probity_fixture_##fixture##_##name it;                                           \
      it.SetUp();                                                                      \
      it.probity_body();                                                               \
      it.TearDown();                                                                   \
    }                                                                                  \
  };                                                                                   \
  PROBITY_REGISTER(fixture##_##name, #fixture "_" #name,                               \
                   (::probity::detail::run<probity_fixture_##fixture##_##name::probity_run>)) \
  void probity_fixture_##fixture##_##name::probity_body()

#endif  // PROBITY_HPP
