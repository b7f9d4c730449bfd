import Foundation

/// The numbers among the fields that SwiftProtobuf set aside as unknown: for an enumeration, a number
/// that the schema does not define.
struct UnknownNumbers {
  private var numbers: [UInt32: Int32] = [:]

  /// The numbers in a message's unknown fields; `nil` without any.
  init?(_ data: Data) {
    guard !data.isEmpty else { return nil }
    var numbers: [UInt32: Int32] = [:]
    data.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      var cursor = WireCursor(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
      while !cursor.isAtEnd, let tag = try? cursor.tag() {
        if tag & 7 == 0 {
          guard let value = try? cursor.varint() else { return }
          numbers[tag >> 3] = Int32(truncatingIfNeeded: value)
        } else {
          guard (try? cursor.skip(tag)) != nil else { return }
        }
      }
    }
    self.numbers = numbers
  }

  /// The last number of a field.
  subscript(field: UInt32) -> Int32? { numbers[field] }
}
