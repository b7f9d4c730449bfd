/// Why words were not accepted, and which one.
public struct WireError: Error, Hashable, Sendable {
  /// The reasons, with their published numbers.
  ///
  /// The WebAssembly build returns them negated.
  public enum Code: Int32, Hashable, Sendable, CaseIterable {
    /// A word is missing.
    case tooShort = 1
    /// A word is left over.
    case tooLong = 2
    /// A number stands for no case of its enumeration.
    case unknownNumber = 3
    /// A value is outside its range.
    case outOfRange = 4
    /// The message does not fit in its buffer.
    case noRoom = 5
    /// No machine has this handle.
    case noSuchMachine = 6
    /// There is no memory for it; nothing was changed.
    case outOfMemory = 7
    /// There are as many machines as there may be.
    case tooManyMachines = 8
  }

  /// Why.
  public var code: Code
  /// The index of the word; for a missing word, the length of the message.
  public var position: Int32

  /// Creates an error.
  public init(_ code: Code, at position: Int32) {
    self.code = code
    self.position = position
  }
}
