// Tests the allocator, the memcpy family and the compiler's builtin on their own.
//
//   Scripts/engine-wasm --allocator MODULE; node Tests/EngineWasm/allocator.mjs MODULE

import assert from "node:assert/strict";
import { test } from "node:test";
import { SampleSource, moduleBytes } from "./harness.mjs";

const compiled = new WebAssembly.Module(moduleBytes);

/** The allocator with a shadow: what was given out, and the byte each block was filled with. */
class Shadow {
  constructor() {
    this.code = new WebAssembly.Instance(compiled, {}).exports;
    this.blocks = [];
    assert.equal(this.code.posix_memalign(this.scratch(), 16, 16), 0);
    // The result of an allocation is written here, in a block of its own.
    this.cell = new DataView(this.code.memory.buffer).getUint32(this.scratch(), true);
    this.base = this.code.freshness_memory_in_use();
  }

  /** A place below the heap that nothing uses: the end of the stack. */
  scratch() {
    return 1024;
  }

  allocate(size, alignment, fill) {
    const status = this.code.posix_memalign(this.cell, alignment, size);
    if (status !== 0) return null;
    const place = new DataView(this.code.memory.buffer).getUint32(this.cell, true);
    assert.equal(place % Math.max(alignment, 16), 0, "aligned");
    assert.ok(place >= this.code.__heap_base.value, "above the data");
    assert.ok(place + size <= this.code.memory.buffer.byteLength, "inside the memory");
    new Uint8Array(this.code.memory.buffer, place, size).fill(fill);
    const block = { place, size, fill };
    this.blocks.push(block);
    return block;
  }

  free(index) {
    const [block] = this.blocks.splice(index, 1);
    const bytes = new Uint8Array(this.code.memory.buffer, block.place, block.size);
    assert.ok(bytes.every((byte) => byte === block.fill), "nothing else wrote into the block");
    this.code.free(block.place);
  }
}

test("two hundred thousand allocations overlap nowhere and leave nothing behind", () => {
  const shadow = new Shadow();
  const generator = new SampleSource(1);
  for (let count = 0; count < 200_000; count += 1) {
    if (shadow.blocks.length > 0 && generator.below(1000) < 480 + (shadow.blocks.length > 400 ? 100 : 0)) {
      shadow.free(generator.below(shadow.blocks.length));
    } else {
      const size = generator.below(generator.pick([1, 16, 100, 100, 1500, 1500, 20_000]) + 1);
      const alignment = generator.pick([1, 8, 16, 16, 16, 32, 64, 4096]);
      assert.ok(shadow.allocate(size, alignment, generator.below(256)), "there is memory");
    }
  }
  const size = shadow.code.memory.buffer.byteLength;
  while (shadow.blocks.length) shadow.free(generator.below(shadow.blocks.length));
  assert.equal(shadow.code.freshness_memory_in_use(), shadow.base);
  // Everything was merged again: one block can have nearly all of it.
  const whole = size - shadow.code.__heap_base.value - 65_536;
  assert.ok(shadow.allocate(whole, 16, 7));
  assert.equal(shadow.code.memory.buffer.byteLength, size, "without more memory");
});

test("memory grows no further than what is in use at a time", () => {
  const shadow = new Shadow();
  const generator = new SampleSource(2);
  for (let round = 0; round < 2_000; round += 1) {
    for (let count = 0; count < 20; count += 1) shadow.allocate(generator.below(2_000), 16, round & 255);
    while (shadow.blocks.length) shadow.free(generator.below(shadow.blocks.length));
  }
  assert.ok(shadow.code.memory.buffer.byteLength <= shadow.code.__heap_base.value + 3 * 65_536);
});

test("when memory ends, an allocation fails, the rest is whole, and what is freed serves again", () => {
  const shadow = new Shadow();
  let count = 0;
  while (shadow.allocate(1 << 20, 16, count & 255)) count += 1;
  assert.ok(count > 50 && count < 64, `${count} blocks of a mebibyte`);
  assert.equal(shadow.code.freshness_memory_reserve(1 << 20), 0);
  shadow.free(count >> 1);
  assert.equal(shadow.code.freshness_memory_reserve(1 << 20), 1);
  assert.ok(shadow.allocate(1 << 20, 16, 99));
  while (shadow.blocks.length) shadow.free(0);
  assert.equal(shadow.code.freshness_memory_in_use(), shadow.base);
});

test("memory that the host grew in between is left alone", () => {
  const shadow = new Shadow();
  const generator = new SampleSource(3);
  for (let round = 0; round < 20; round += 1) {
    const { memory } = shadow.code;
    const start = memory.grow(1) * 65_536;
    new Uint8Array(memory.buffer, start, 65_536).fill(0xab);
    for (let count = 0; count < 30; count += 1) shadow.allocate(generator.below(8_000), 16, round);
    assert.ok(new Uint8Array(memory.buffer, start, 65_536).every((byte) => byte === 0xab));
  }
  while (shadow.blocks.length) shadow.free(generator.below(shadow.blocks.length));
  assert.equal(shadow.code.freshness_memory_in_use(), shadow.base);
});

test("sizes and alignments that cannot be are refused", () => {
  const { code, cell } = new Shadow();
  for (const size of [(1 << 30) + 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32 - 8]) {
    assert.equal(code.posix_memalign(cell, 16, size), 12);
    assert.equal(code.freshness_memory_reserve(size), 0);
  }
  for (const alignment of [3, 24, 131_072]) assert.equal(code.posix_memalign(cell, alignment, 8), 22);
  code.free(0);
});

test("a block that is freed twice stops the module before anything is overwritten", () => {
  const shadow = new Shadow();
  const { place } = shadow.allocate(100, 16, 1);
  shadow.allocate(100, 16, 2);
  shadow.code.free(place);
  assert.throws(() => shadow.code.free(place), WebAssembly.RuntimeError);
});

test("copying, moving, filling and comparing do what they do everywhere", () => {
  const { code } = new Shadow();
  const generator = new SampleSource(4);
  const start = code.__heap_base.value + 128;
  const memory = new Uint8Array(code.memory.buffer);
  for (let count = 0; count < 2_000; count += 1) {
    for (let index = 0; index < 256; index += 1) memory[start + index] = generator.below(3);
    const model = memory.slice(start, start + 256);
    const [to, from, length] = [generator.below(100), generator.below(100), generator.below(100)];
    assert.equal(code.memmove(start + to, start + from, length), start + to);
    model.copyWithin(to, from, from + length);
    code.memcpy(start + 200, start + to, length % 56);
    model.copyWithin(200, to, to + (length % 56));
    code.memset(start + from, count, length % 20);
    model.fill(count & 255, from, from + (length % 20));
    assert.deepEqual(memory.slice(start, start + 256), model);
    const [a, b] = [to, from].map((place) => Buffer.from(model.subarray(place, place + (length % 5))));
    assert.equal(Math.sign(code.memcmp(start + to, start + from, length % 5)), Buffer.compare(a, b));
  }
});

test("products of 128 bits are right", () => {
  const { code, cell } = new Shadow();
  const generator = new SampleSource(5);
  const word = () => {
    const bits = BigInt(generator.next()) << 32n | BigInt(generator.next());
    return generator.pick([0n, 1n, (1n << 64n) - 1n, 1n << 63n, bits, bits, bits, bits >> 40n]);
  };
  for (let count = 0; count < 5_000; count += 1) {
    const [a0, a1, b0, b1] = [word(), word(), word(), word()];
    code.__multi3(cell, BigInt.asIntN(64, a0), BigInt.asIntN(64, a1), BigInt.asIntN(64, b0),
      BigInt.asIntN(64, b1));
    const [low, high] = new BigUint64Array(code.memory.buffer, cell, 2);
    const product = (a1 << 64n | a0) * (b1 << 64n | b0);
    assert.equal(high << 64n | low, BigInt.asUintN(128, product));
  }
});
