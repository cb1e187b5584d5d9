// tiny_net [FOLDER]: runs the exports of one dense net from every framework and compares every bit; see --help.
#include "examples/tiny_net/tiny_net.h"

int main(int argc, char** argv) {
  return rml::ExactMain(
      argc, argv,
      "tiny_net runs one dense net as exported from each framework, fused and unfused, and compares\n"
      "every bit of the output with the one that is exact. Exit codes: 0 equal, 1 different, 2 usage.",
      RML_TINY_NET_EXPORTS, {rml::TinyNet()});
}
