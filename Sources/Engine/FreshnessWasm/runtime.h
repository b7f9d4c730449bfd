// What Embedded Swift expects of its platform, for a module that imports nothing from its host.
#ifndef FRESHNESS_RUNTIME_H
#define FRESHNESS_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

// allocator.c
int posix_memalign(void **result, size_t alignment, size_t size);
void free(void *block);
uint32_t freshness_memory_in_use(void);
int32_t freshness_memory_reserve(size_t size);

// memory.c
void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int byte, size_t count);
int memcmp(const void *first, const void *second, size_t count);

#endif
