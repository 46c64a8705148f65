// A harness of libFuzzer.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > 1 && data[1] == 7) {
    abort();
  }
  return 0;
}
