// Written by Scripts/generate-engine-wire from wire.json.

extension Wire {
  /// The version of this form; it grows when the meaning of a message or number changes.
  public static let version: Int32 = 11

  /// The word of a missing value.
  public static let none: Int64 = -9_223_372_036_854_775_808

  /// The greatest magnitude of any other word.
  public static let limit: Int64 = 9_007_199_254_740_992

  /// The maximum number of words in a message: a policy with its context and a full ladder is the
  /// longest one.
  public static let longestMessage: Int = 256

  /// The maximum number of steps of a ladder.
  public static let longestLadder: Int64 = 64

  /// The maximum number of queued requests of one origin (R39).
  public static let longestQueue: Int = 4_096

  /// The maximum number of bytes of one response; the counters, which add these up, do not
  /// overflow.
  public static let mostBytes: Int64 = 1_099_511_627_775

  /// The maximum percentage in a policy.
  public static let mostPercent: Int64 = 1_000_000
}

extension WireError {
  /// The reasons, with their published numbers.
  ///
  /// The WebAssembly build returns them negated.
  public enum Code: Int32, Hashable, Sendable, CaseIterable {
    /// A word is missing.
    case tooShort = 1
    /// There is an extra word.
    case tooLong = 2
    /// A number is not the number of a case of its enumeration.
    case unknownNumber = 3
    /// A value is outside its range.
    case outOfRange = 4
    /// The message does not fit in its buffer.
    case noRoom = 5
    /// No machine has this handle.
    case noSuchMachine = 6
    /// There is not enough memory; nothing was changed.
    case outOfMemory = 7
    /// The maximum number of machines is reached.
    case tooManyMachines = 8
  }
}
