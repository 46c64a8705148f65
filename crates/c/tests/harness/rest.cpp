// The rest of `main` is the test.
#include <deepstate/DeepState.hpp>

using namespace deepstate;

static int rest() {
  DeepState_TakeOver();
  Symbolic<uint8_t> x, y;
  ASSUME_LT(x, 16);
  ASSERT_LT(x + y, 12);
  return 3;
}

int main(int argc, char *argv[]) {
  DeepState_InitOptions(argc, argv);
  return rest();
}
