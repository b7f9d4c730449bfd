/// An error in a message, with the position of the word.
public struct WireError: Error, Hashable, Sendable {
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

  /// The reason.
  public var code: Code
  /// The index of the word; for a missing word, the length of the message.
  public var position: Int32

  /// Creates an error.
  public init(_ code: Code, at position: Int32) {
    self.code = code
    self.position = position
  }
}
