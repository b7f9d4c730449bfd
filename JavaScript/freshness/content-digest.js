// The hash of a body, as recorded by native clients (Sources/Engine/FreshnessRuntime/SampleEvidence.swift): protects
// against mix-ups, not against malice.

/** Returns the FNV-1a hash of a string's UTF-8 bytes, 64 bits, as 16 hexadecimal digits. */
export function contentDigest(text) {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of new TextEncoder().encode(text)) {
    low = (low ^ byte) >>> 0;
    // Times 2^40 + 0x1b3, in halves of 32 bits.
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return [high, low].map((half) => half.toString(16).padStart(8, "0")).join("");
}
