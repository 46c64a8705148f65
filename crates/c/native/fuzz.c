/* A harness of libFuzzer as a test: draws bytes and hands them over. */
#include <probity.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

/* How many bytes are drawn at most. */
#ifndef PROBITY_FUZZ_BYTES
#define PROBITY_FUZZ_BYTES 256
#endif

PROBITY_TEST(LLVMFuzzerTestOneInput_harness) {
  size_t size = 0;
  const uint8_t *data = (const uint8_t *)probity_data(0, PROBITY_FUZZ_BYTES, &size, "data", 0);
  if (LLVMFuzzerTestOneInput(data, size) == -1) {
    PROBITY_ASSUME(!"the harness returned -1");
  }
}

int main(int argc, char **argv) {
  if (LLVMFuzzerInitialize) {
    LLVMFuzzerInitialize(&argc, &argv);
  }
  return probity_main(argc, (const char *const *)argv);
}
