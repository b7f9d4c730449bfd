/// The wire form: the machine's values as flat sequences of 64-bit words, for hosts in other languages.
///
/// A message is a sequence of words, written member by member in the order of `wire.json`, without
/// padding. `Scripts/generate-engine-wire` writes the codec from that table, for Swift and for JavaScript. The rules:
///
/// - A word is a signed 64-bit integer; in the memory of the WebAssembly build it is little-endian.
/// - Every word is in ±2^53, where a JavaScript number represents every integer exactly, or is
///   ``none``. A host in JavaScript can therefore read a word as two 32-bit halves,
///   `high * 2^32 + low`, into an ordinary number, without `BigInt` and without rounding.
/// - A missing value is the word ``none``. A missing record is the word 0, and a present record the
///   word 1 followed by its fields.
/// - A flag is 0 or 1.
/// - A case of an enumeration is its number in `wire.json`, followed by its values.
///   Numbers begin at 1, so cleared memory is not a valid message.
/// - A set is its bits.
/// - Times are whole milliseconds. A time beyond the limit, which means "never", is written as
///   the limit. The host's own numbers (queries, identities, revisions, validators) must be within
///   it.
/// - A list is its length followed by its elements.
///
/// Reading is strict: a missing word, an extra word, an unknown number or a value out of range is a
/// ``WireError`` with the position of the word, and the machine does not change.
public enum Wire: Sendable {}
