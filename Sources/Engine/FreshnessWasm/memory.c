// The memcpy family on WebAssembly's bulk instructions, and the little else that compiled code calls.
#include "runtime.h"

void *memcpy(void *restrict to, const void *restrict from, size_t count) {
  return __builtin_memcpy(to, from, count);
}

void *memmove(void *to, const void *from, size_t count) {
  return __builtin_memmove(to, from, count);
}

void *memset(void *to, int byte, size_t count) { return __builtin_memset(to, byte, count); }

int memcmp(const void *first, const void *second, size_t count) {
  const unsigned char *a = first;
  const unsigned char *b = second;
  for (size_t index = 0; index < count; index++) {
    if (a[index] != b[index]) return a[index] < b[index] ? -1 : 1;
  }
  return 0;
}

// The value that stack protectors compare. It guards against mistakes, not against attackers: a
// WebAssembly module keeps its return addresses out of its memory.
uintptr_t __stack_chk_guard = 0x5afec0de;

_Noreturn void __stack_chk_fail(void) { __builtin_trap(); }

// The product of two 128-bit integers, on which checked 64-bit multiplication rests. The halves are
// multiplied by hand, because a 128-bit multiplication here would call this function.
typedef unsigned __int128 wide;

static wide product(uint64_t a, uint64_t b) {
  uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
  uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32);
  uint64_t other = a0 * b1 + (uint32_t)middle;
  uint64_t high = a1 * b1 + (middle >> 32) + (other >> 32);
  return (wide)high << 64 | (other << 32 | (uint32_t)low);
}

__int128 __multi3(__int128 a, __int128 b) {
  wide x = (wide)a, y = (wide)b;
  uint64_t x0 = (uint64_t)x, x1 = (uint64_t)(x >> 64), y0 = (uint64_t)y, y1 = (uint64_t)(y >> 64);
  return (__int128)(product(x0, y0) + ((wide)(x1 * y0 + x0 * y1) << 64));
}
