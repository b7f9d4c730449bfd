/// A value that can be written as words.
public protocol WireWritable {
  /// Writes the value.
  ///
  /// - Throws: `outOfRange` if one of the host's numbers is too large, `noRoom` if the buffer is
  ///   full.
  func write(to writer: inout WireWriter) throws(WireError)
}

/// A value that can be read from words.
public protocol WireReadable {
  /// Reads the value and leaves the words that follow it.
  ///
  /// - Throws: ``WireError`` for the first word that is not valid.
  init(from reader: inout WireReader) throws(WireError)
}

extension WireWritable {
  /// Returns the value as a complete message.
  public func words() throws(WireError) -> [Int64] {
    try wireMessage { (writer) throws(WireError) in try write(to: &writer) }
  }

  /// Writes the value as a complete message into a buffer.
  ///
  /// - Returns: The number of words written.
  public func write(into buffer: UnsafeMutableBufferPointer<Int64>) throws(WireError) -> Int32 {
    var writer = WireWriter(buffer)
    try write(to: &writer)
    return Int32(writer.count)
  }

  /// Writes whether the value is present, and the value if it is.
  static func write(_ value: Self?, to writer: inout WireWriter) throws(WireError) {
    try writer.flag(value != nil)
    try value?.write(to: &writer)
  }
}

extension WireReadable {
  /// Reads a message that holds this value and nothing else.
  public init(words: [Int64]) throws(WireError) {
    self = try words.withUnsafeBufferPointer { (words) throws(WireError) in
      var reader = WireReader(words)
      let value = try Self(from: &reader)
      try reader.end()
      return value
    }
  }

  /// Reads whether the value is present, and the value if it is.
  static func optional(from reader: inout WireReader) throws(WireError) -> Self? {
    try reader.flag() ? try Self(from: &reader) : nil
  }
}

/// Collects the words of one message.
func wireMessage(
  _ write: (inout WireWriter) throws(WireError) -> Void
) throws(WireError) -> [Int64] {
  // The initializer of an array does not throw typed errors, so the error is stored here.
  var failure: WireError?
  let words = [Int64](unsafeUninitializedCapacity: Wire.longestMessage) { buffer, count in
    var writer = WireWriter(buffer)
    do throws(WireError) { try write(&writer) } catch { failure = error }
    count = writer.count
  }
  if let failure { throw failure }
  return words
}
