/// Cuts a stream of bytes into records that end with NUL (`-z`), however the stream is split.
public struct NULRecords: Sendable {
  private let source: String
  private var rest: [UInt8] = []
  /// How many whole records came so far.
  public private(set) var count = 0

  /// Starts with nothing.
  ///
  /// - Parameter source: The source of the bytes, for errors.
  public init(source: String) { self.source = source }

  /// Takes more bytes and gives the records that are whole now.
  ///
  /// - Throws: ``GitOutputError`` if a record is longer than ``GitLimits/recordBytes``.
  public mutating func consume(
    _ bytes: some Collection<UInt8>,
    each record: (ArraySlice<UInt8>, Int) throws(GitOutputError) -> Void
  ) throws(GitOutputError) {
    rest.append(contentsOf: bytes)
    var start = rest.startIndex
    while let end = rest[start...].firstIndex(of: 0) {
      count += 1
      try check(end - start)
      try record(rest[start..<end], count)
      start = end + 1
    }
    rest.removeSubrange(..<start)
    try check(rest.count)
  }

  /// Ends the stream.
  ///
  /// - Throws: ``GitOutputError`` if it ends within a record.
  public func end() throws(GitOutputError) {
    guard rest.isEmpty else { throw GitOutputError(source, record: count + 1, "it has no end") }
  }

  private func check(_ length: Int) throws(GitOutputError) {
    guard length <= GitLimits.recordBytes else {
      throw GitOutputError(source, record: count, "longer than \(GitLimits.recordBytes) bytes")
    }
  }
}

extension ArraySlice<UInt8> {
  /// The bytes as text; invalid UTF-8 is replaced.
  var text: String { String(decoding: self, as: UTF8.self) }

  /// Splits the bytes at the first occurrence of a byte.
  func cut(at byte: UInt8) -> (ArraySlice<UInt8>, ArraySlice<UInt8>)? {
    guard let place = firstIndex(of: byte) else { return nil }
    return (self[..<place], self[(place + 1)...])
  }

  /// What follows a prefix; `nil` without the prefix.
  func behind(_ prefix: StaticString) -> ArraySlice<UInt8>? {
    let count = prefix.utf8CodeUnitCount
    let isPrefix = prefix.withUTF8Buffer { starts(with: $0) }
    return isPrefix ? dropFirst(count) : nil
  }

  /// The bytes as a number of decimal digits.
  var number: Int? {
    guard !isEmpty, allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }
}
