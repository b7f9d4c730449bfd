/// A parameter of a statement, sent in binary form.
package enum PostgresValue: Hashable, Sendable {
  /// `NULL` of any type.
  case null
  /// `bigint`.
  case int(Int64)
  /// `double precision`.
  case double(Double)
  /// `boolean`.
  case bool(Bool)
  /// `text`; PostgreSQL does not accept U+0000 in it.
  case text(String)
  /// `bytea`.
  case bytes([UInt8])
  /// An array of one dimension, whose elements are of one type or `NULL`.
  case array(Element, [PostgresValue])

  /// The type of the elements of an array.
  package enum Element: UInt32, Sendable {
    case bytes = 17
    case int = 20
    case text = 25

    /// The type of the array.
    fileprivate var array: UInt32 {
      switch self {
      case .bytes: 1_001
      case .int: 1_016
      case .text: 1_009
      }
    }
  }

  /// `bigint`, or `NULL`.
  package static func int(_ value: Int?) -> Self { value.map { .int(Int64($0)) } ?? .null }
  /// `bigint`, or `NULL`.
  package static func int(_ value: Int64?) -> Self { value.map { .int($0) } ?? .null }
  /// `text`, or `NULL`.
  package static func text(_ value: String?) -> Self { value.map { .text($0) } ?? .null }
  /// `bytea`, or `NULL`.
  package static func bytes(_ value: [UInt8]?) -> Self { value.map { .bytes($0) } ?? .null }

  /// The number of the type in `pg_type`; 0 lets the server infer it.
  var type: UInt32 {
    switch self {
    case .null: 0
    case .bool: 16
    case .bytes: 17
    case .int: 20
    case .text: 25
    case .double: 701
    case .array(let element, _): element.array
    }
  }

  /// The binary form; `nil` for `NULL`.
  var binary: [UInt8]? {
    switch self {
    case .null: nil
    case .bool(let value): [value ? 1 : 0]
    case .bytes(let bytes): bytes
    case .int(let value): Self.bytes(of: value)
    case .text(let text): Array(text.utf8)
    case .double(let value): Self.bytes(of: value.bitPattern)
    case .array(let element, let values): Self.array(element, values)
    }
  }

  private static func array(_ element: Element, _ values: [PostgresValue]) -> [UInt8] {
    let hasNull = values.contains(.null)
    // Dimensions, whether there are nulls, and the type; then the length and the first index.
    var bytes =
      Self.bytes(of: Int32(values.isEmpty ? 0 : 1)) + Self.bytes(of: Int32(hasNull ? 1 : 0))
    bytes += Self.bytes(of: element.rawValue)
    guard !values.isEmpty else { return bytes }
    bytes += Self.bytes(of: Int32(values.count)) + Self.bytes(of: Int32(1))
    for value in values {
      guard let binary = value.binary else {
        bytes += Self.bytes(of: Int32(-1))
        continue
      }
      bytes += Self.bytes(of: Int32(binary.count)) + binary
    }
    return bytes
  }

  private static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }
}
