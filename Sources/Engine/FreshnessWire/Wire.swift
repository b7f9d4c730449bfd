/// The wire form: the machine's values as flat sequences of 64-bit words, for hosts in other languages.
///
/// A message is a sequence of words, written field by field in the order of ``WireReader`` and
/// ``WireWriter`` calls in this module, without padding. The rules:
///
/// - A word is a signed 64-bit integer; in the memory of the WebAssembly build it is little-endian.
/// - Every word is in ±2^53, where a JavaScript number represents every integer exactly, or is
///   ``none``. A host in JavaScript can therefore read a word as two 32-bit halves,
///   `high * 2^32 + low`, into an ordinary number, without `BigInt` and without rounding.
/// - A missing value is the word ``none``. A missing record is the word 0, and a present record the
///   word 1 followed by its fields.
/// - A flag is 0 or 1.
/// - A case of an enumeration is its published number (`WireNumbers.swift`), followed by its
///   values.
///   Numbers begin at 1, so cleared memory is not a valid message.
/// - Times are whole milliseconds. A time beyond the limit, which means "never", is written as
///   the limit. The host's own numbers (queries, identities, revisions, validators) must be within
///   it.
/// - A list is its length followed by its elements.
///
/// Reading is strict: a missing word, an extra word, an unknown number or a value out of range is a
/// ``WireError`` with the position of the word, and the machine does not change.
public enum Wire: Sendable {
  /// The version of this form; it grows when the meaning of a message or number changes.
  public static let version: Int32 = 11

  /// The word of a missing value.
  public static let none = Int64.min

  /// The greatest magnitude of any other word: 2^53.
  public static let limit: Int64 = 9_007_199_254_740_992

  /// The maximum number of words in a message.
  ///
  /// The longest message is a machine's policy with its context and a full ladder.
  public static let longestMessage = 256

  /// The maximum number of steps of a ladder.
  public static let longestLadder: Int64 = 64

  /// The maximum number of queued requests of one origin (R39).
  public static let longestQueue = 4_096

  /// The maximum number of bytes of one response: a tebibyte minus one.
  ///
  /// Counters add these up over the life of a machine and must not overflow.
  public static let mostBytes: Int64 = (1 << 40) - 1

  /// The maximum percentage in a policy.
  public static let mostPercent: Int64 = 1_000_000
}
