/// A part of the trip updates of a simulated feed, as producers publish that have one feed for each group of lines.
struct FeedShare: Hashable {
  /// Which part, from 1 on.
  let number: Int
  /// How many parts there are.
  let count: Int
  /// The most parts.
  static let most = 16

  /// The parts of a feed.
  static func all(of count: Int) -> [FeedShare] {
    (1...max(count, 1)).map { FeedShare(number: $0, count: count) }
  }

  /// The entities of this part, those of a trip all in the same one; a feed that is cut short stays so.
  func bytes(of feed: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    for field in Fields(feed[...]) {
      if field.number == 2, let entity = field.content, !has(entity) { continue }
      result += field.bytes
    }
    return result
  }

  private func has(_ entity: ArraySlice<UInt8>) -> Bool {
    let update = Fields(entity).first { $0.number == 3 }?.content
    let trip = update.flatMap { Fields($0).first { $0.number == 1 }?.content }
    let id = trip.flatMap { Fields($0).first { $0.number == 1 }?.content }
    // FNV-1a, the same in every run.
    let hash = (id ?? entity).reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    return Int(hash % UInt32(count)) == number - 1
  }

  /// A field of a message.
  private struct Field {
    var number: UInt64
    /// The field with its tag.
    var bytes: ArraySlice<UInt8>
    /// What it holds, if it has a length.
    var content: ArraySlice<UInt8>?
  }

  /// The fields of a message; what cannot be read ends it as one field of number 0.
  private struct Fields: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(_ message: ArraySlice<UInt8>) { rest = message }

    mutating func next() -> Field? {
      guard !rest.isEmpty else { return nil }
      let whole = rest
      guard let tag = varint(), let (length, isMessage) = length(of: tag & 7),
        length <= rest.count
      else {
        rest = []
        return Field(number: 0, bytes: whole)
      }
      let content = rest.prefix(length)
      rest = rest.dropFirst(length)
      let bytes = whole[whole.startIndex..<content.endIndex]
      return Field(number: tag >> 3, bytes: bytes, content: isMessage ? content : nil)
    }

    private mutating func length(of kind: UInt64) -> (Int, Bool)? {
      switch kind {
      case 0: varint().map { _ in (0, false) }
      case 1: (8, false)
      case 5: (4, false)
      case 2: varint().flatMap { Int(exactly: $0) }.map { ($0, true) }
      default: nil
      }
    }

    private mutating func varint() -> UInt64? {
      var value: UInt64 = 0
      for shift in stride(from: UInt64(0), to: 64, by: 7) {
        guard let byte = rest.popFirst() else { return nil }
        value |= UInt64(byte & 127) << shift
        if byte < 128 { return value }
      }
      return nil
    }
  }
}
