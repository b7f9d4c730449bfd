// The allocator of the WebAssembly build: boundary tags, one list of free blocks for each power of
// two, neighbors merged at once. What is freed can be given out again in any size.
//
// A block begins with a header of eight bytes; its payload follows at a multiple of sixteen:
//
//     | size of the block before, 0 if absent | size, lowest bit set while in use | payload |
//
// The payload of a free block begins with the next and the previous free block of its list. A
// region ends with a fence: a header of size 0 that is always in use. Memory the module grows by is
// joined to the last region, unless the host has grown the memory itself in between.
#include "runtime.h"

enum { header_size = 8, grain = 16, page_size = 65536, list_count = 32, used = 1 };

// A request for more is refused before any arithmetic could overflow.
static const size_t most_size = 1u << 30;

struct block {
  uint32_t before;
  uint32_t size_and_use;
  struct block *next;
  struct block *previous;
};

extern unsigned char __heap_base;

static struct block *lists[list_count];
static uint32_t lists_in_use;  // One bit for each list that is not empty.
static struct block *fence;    // The fence of the last region, or null before the first.
static uint32_t bytes_in_use;

static uint32_t size_of(const struct block *block) { return block->size_and_use & ~(uint32_t)used; }

static int is_used(const struct block *block) { return block->size_and_use & used; }

static struct block *at(void *place, intptr_t distance) {
  return (struct block *)((char *)place + distance);
}

static struct block *after(struct block *block) { return at(block, size_of(block)); }

static int list_of(uint32_t size) { return 31 - __builtin_clz(size); }

static void take_from_list(struct block *block) {
  int list = list_of(size_of(block));
  if (block->next) block->next->previous = block->previous;
  if (block->previous) {
    block->previous->next = block->next;
  } else {
    lists[list] = block->next;
    if (!block->next) lists_in_use &= ~(1u << list);
  }
}

// Makes a free block of a stretch of memory and tells the block behind it.
static void put_in_list(struct block *block, uint32_t size) {
  int list = list_of(size);
  block->size_and_use = size;
  after(block)->before = size;
  block->previous = 0;
  block->next = lists[list];
  if (block->next) block->next->previous = block;
  lists[list] = block;
  lists_in_use |= 1u << list;
}

// Frees a stretch of memory and merges it with free neighbors.
static void release(struct block *block, uint32_t size) {
  struct block *behind = at(block, size);
  if (!is_used(behind)) {
    take_from_list(behind);
    size += size_of(behind);
  }
  if (block->before) {
    struct block *ahead = at(block, -(intptr_t)block->before);
    if (!is_used(ahead)) {
      take_from_list(ahead);
      size += size_of(ahead);
      block = ahead;
    }
  }
  put_in_list(block, size);
}

// Asks for more memory, enough for a block of a size; 0 if that fails.
static int grow(uint32_t size) {
  uintptr_t old_end = (uintptr_t)__builtin_wasm_memory_size(0) * page_size;
  int joins = fence && (uintptr_t)fence + header_size == old_end;
  uintptr_t start;
  if (joins) {
    start = (uintptr_t)fence;
  } else {
    // Headers are eight bytes before a multiple of sixteen.
    uintptr_t least = fence ? old_end : (uintptr_t)&__heap_base;
    start = ((least + header_size + grain - 1) & ~(uintptr_t)(grain - 1)) - header_size;
  }
  uint64_t end = (uint64_t)start + size + header_size;
  uint64_t missing = end > old_end ? end - old_end : 0;
  uint64_t pages = (missing + page_size - 1) / page_size;
  if (pages && __builtin_wasm_memory_grow(0, pages) == (size_t)-1) return 0;
  // Memory ends at a multiple of sixteen, so that a whole number of grains lies between.
  uintptr_t new_end = old_end + (uintptr_t)pages * page_size;
  struct block *block = (struct block *)start;
  uint32_t room = (uint32_t)(new_end - header_size - start);
  if (!joins) block->before = 0;
  fence = at(block, room);
  fence->size_and_use = used;
  release(block, room);
  return 1;
}

static struct block *find(uint32_t size) {
  int list = list_of(size);
  for (struct block *block = lists[list]; block; block = block->next) {
    if (size_of(block) >= size) return block;
  }
  // Any block of a higher list is large enough.
  uint32_t higher = list == 31 ? 0 : lists_in_use & (~0u << (list + 1));
  return higher ? lists[__builtin_ctz(higher)] : 0;
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  enum { invalid = 22, out_of_memory = 12 };
  if (alignment & (alignment - 1) || alignment > page_size) return invalid;
  if (size > most_size) return out_of_memory;
  if (alignment < grain) alignment = grain;
  uint32_t whole = (uint32_t)((size + header_size + grain - 1) & ~(size_t)(grain - 1));
  // Room to move the payload to its alignment; what lies before it must be a block or nothing.
  uint32_t search = alignment > grain ? whole + (uint32_t)alignment : whole;
  struct block *block = find(search);
  if (!block) {
    if (!grow(search)) return out_of_memory;
    block = find(search);
    if (!block) return out_of_memory;
  }
  take_from_list(block);
  uint32_t room = size_of(block);
  uintptr_t payload = (uintptr_t)block + header_size;
  uint32_t lead = (uint32_t)(((payload + alignment - 1) & ~(uintptr_t)(alignment - 1)) - payload);
  if (lead) {
    struct block *moved = at(block, lead);
    put_in_list(block, lead);
    block = moved;
    room -= lead;
  }
  uint32_t rest = room - whole;
  block->size_and_use = whole | used;
  if (rest) {
    struct block *tail = at(block, whole);
    tail->before = whole;
    put_in_list(tail, rest);
  } else {
    after(block)->before = whole;
  }
  bytes_in_use += whole;
  *result = (char *)block + header_size;
  return 0;
}

void free(void *payload) {
  if (!payload) return;
  struct block *block = at(payload, -header_size);
  // Freed twice, or never given out: stop before anything is overwritten.
  if (!is_used(block) || after(block)->before != size_of(block)) __builtin_trap();
  bytes_in_use -= size_of(block);
  release(block, size_of(block));
}

// The bytes given out, headers included.
uint32_t freshness_memory_in_use(void) { return bytes_in_use; }

// Whether blocks of altogether this size can be given out; grows the memory if it must.
int32_t freshness_memory_reserve(size_t size) {
  void *block;
  if (posix_memalign(&block, grain, size)) return 0;
  free(block);
  return 1;
}
