// tiny_models [FOLDER]: runs the exports of three small models from every framework and compares every bit; see --help.
#include "examples/tiny_models/tiny_models.h"

int main(int argc, char** argv) {
  return rml::ExactMain(
      argc, argv,
      "tiny_models runs a CNN, an LSTM and a transformer block as exported from each framework, fused\n"
      "and unfused, and compares every bit of the outputs with those that are exact.\n"
      "Exit codes: 0 equal, 1 different, 2 usage.",
      RML_TINY_MODELS_EXPORTS, {rml::TinyCnn(), rml::TinyLstm(), rml::TinyTransformer()});
}
