// What the tests of the WebAssembly build share: the module of the command line, and random numbers.

import { readFileSync } from "node:fs";

/** The path of the module: the first argument. */
export const modulePath = process.argv[2];
if (!modulePath) {
  console.error(`usage: node ${process.argv[1]} MODULE`);
  process.exit(2);
}

/** The bytes of the module. */
export const moduleBytes = readFileSync(modulePath);

/** Reproducible random numbers: a xorshift generator of 32 bits. */
export class SampleSource {
  constructor(seed) {
    this.state = seed >>> 0 || 1;
  }

  next() {
    let bits = this.state;
    bits ^= bits << 13;
    bits ^= bits >>> 17;
    bits ^= bits << 5;
    this.state = bits >>> 0;
    return this.state;
  }

  below(bound) {
    return this.next() % bound;
  }

  pick(values) {
    return values[this.below(values.length)];
  }
}
