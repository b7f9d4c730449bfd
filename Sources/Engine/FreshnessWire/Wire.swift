/// The wire form: the machine's values as flat sequences of 64-bit words, for hosts in other languages.
///
/// A message is a sequence of words, written field by field in the order of ``WireReader`` and
/// ``WireWriter`` calls in this module, without padding. The rules:
///
/// - A word is a signed 64-bit integer; in the memory of the WebAssembly build it is little-endian.
/// - Every word lies in ±2^53, where a JavaScript number holds every integer exactly, or is
///   ``none``. So a host in JavaScript reads a word as two 32-bit halves, `high * 2^32 + low`, into
///   an ordinary number: no `BigInt` is needed, and nothing is rounded.
/// - A missing value is the word ``none``. A missing record is the word 0, and a present record the
///   word 1 followed by its fields.
/// - A flag is 0 or 1.
/// - A case of an enumeration is its published number (`WireNumbers.swift`); its values follow.
///   Numbers begin at 1, so that cleared memory is no message.
/// - Times are whole milliseconds. A time beyond the limit, which stands for "never", is written as
///   the limit. The host's own numbers (questions, identities, revisions, validators) must lie
///   within it.
/// - A list is its length followed by its elements.
///
/// Reading is strict: a missing word, a word too many, an unknown number or a value out of range is
/// a ``WireError`` with the position of the word, and nothing happens to the machine.
public enum Wire: Sendable {
  /// The number of this form; it grows when any message or number changes its meaning.
  public static let version: Int32 = 3

  /// The word of a missing value.
  public static let none = Int64.min

  /// The greatest magnitude of any other word: 2^53.
  public static let limit: Int64 = 9_007_199_254_740_992

  /// The greatest number of words in any message.
  ///
  /// The longest is a machine's policy with its context and a full ladder.
  public static let longestMessage = 256

  /// The most steps a ladder may have.
  public static let longestLadder: Int64 = 64

  /// The most requests that may wait for a place at one origin (R39).
  public static let longestQueue = 4_096

  /// The most bytes one answer may count: a tebibyte less one.
  ///
  /// Counters add them up over the life of a machine and must not overflow.
  public static let mostBytes: Int64 = (1 << 40) - 1

  /// The greatest share in percent that a policy may hold.
  public static let mostPercent: Int64 = 1_000_000
}
