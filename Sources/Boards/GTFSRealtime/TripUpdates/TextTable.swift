/// The number of a text in the ``TextTable`` of its feed.
///
/// Within one feed, equal strings have equal numbers, so the stop or trip that an id refers to is looked up once per
/// number, not once per update. Numbers of different feeds are unrelated.
package struct TextID: Hashable, Sendable {
  /// 0 for the first text of the feed, then in order of first appearance, without gaps.
  package let number: UInt32

  /// Creates the id of a number.
  @inlinable package init(number: UInt32) { self.number = number }

  /// The number as an index into an array with one element per text of the table.
  @inlinable package var index: Int { Int(number) }

  /// Means no text in packed records; never the number of a text.
  @usableFromInline static let none = UInt32.max
}

/// The distinct texts of a feed: identifiers and headsigns, valid UTF-8, each stored once.
package struct TextTable: Sendable {
  /// All texts, one after the other.
  @usableFromInline var bytes: [UInt8]
  /// Where each text ends in ``bytes``.
  @usableFromInline var ends: [UInt32]

  init(bytes: [UInt8], ends: [UInt32]) {
    self.bytes = bytes
    self.ends = ends
  }

  /// How many texts there are; numbers go from 0 to one less.
  package var count: Int { ends.count }

  /// All ids, in order.
  package var ids: some Sequence<TextID> {
    (0..<UInt32(ends.count)).lazy.map { TextID(number: $0) }
  }

  /// The text of an id of this table.
  package subscript(id: TextID) -> String {
    withBytes(of: id) { String(decoding: $0, as: UTF8.self) }
  }

  /// The text of an id of this table; `nil` for no id.
  package subscript(id: TextID?) -> String? { id.map { self[$0] } }

  /// Lends the bytes of a text, without copying them.
  @inlinable @inline(__always) package func withBytes<Result>(
    of id: TextID,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let start = id.index == 0 ? 0 : Int(ends[id.index - 1])
    let end = Int(ends[id.index])
    return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
  }

  /// Whether the text of an id of this table has exactly these bytes.
  package func isEqual(_ id: TextID, _ wanted: UnsafeRawBufferPointer) -> Bool {
    let start = id.index == 0 ? 0 : Int(ends[id.index - 1])
    guard Int(ends[id.index]) - start == wanted.count else { return false }
    return bytes.withUnsafeBytes { stored in
      TextWords.areEqual(
        UnsafeRawBufferPointer(rebasing: stored[start...].prefix(wanted.count)),
        wanted
      )
    }
  }

  /// The id of a text; `nil` if the feed does not have it.
  ///
  /// Searches the whole table: for tests and diagnosis, not for every request.
  package func id(of text: String) -> TextID? {
    let wanted = Array(text.utf8)
    return ids.first { id in withBytes(of: id) { $0.elementsEqual(wanted) } }
  }
}
