/* What libFuzzer, AFL++, honggfuzz and their like call: weak, so that a harness may bring its own. */
#include <probity.h>
#include <stdint.h>

__attribute__((weak)) int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return probity_run_bytes(data, size);
}
