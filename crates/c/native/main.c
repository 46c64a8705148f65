/* The main function of a test program: an archive of its own, so that a program may bring another. */
#include <probity.h>

int main(int argc, char **argv) { return probity_main(argc, (const char *const *)argv); }
