// The entry of libFuzzer into one target, whose function the build names.
#include <cstddef>
#include <cstdint>
#include <string_view>

void DOVETAIL_FUZZ_FUNCTION(std::string_view input);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  DOVETAIL_FUZZ_FUNCTION({reinterpret_cast<const char*>(data), size});
  return 0;
}
