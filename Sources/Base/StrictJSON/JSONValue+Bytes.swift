extension JSONValue {
  /// The value as JSON without whitespace, members in alphabetical order: equal values have equal
  /// bytes.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    write(into: &bytes)
    return bytes
  }

  /// Appends the value as JSON without whitespace, members in alphabetical order.
  ///
  /// - Parameter bytes: The bytes to append to.
  public func write(into bytes: inout [UInt8]) {
    switch self {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    case .whole(let number): bytes.append(contentsOf: String(number).utf8)
    case .decimal(let text): bytes.append(contentsOf: text.utf8)
    case .string(let text): Self.write(text, into: &bytes)
    case .list(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.write(into: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, name) in members.keys.sorted().enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.write(name, into: &bytes)
        bytes.append(UInt8(ascii: ":"))
        members[name]?.write(into: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  /// Creates a number, or `null` for one that JSON cannot express (RFC 8259 section 6).
  ///
  /// - Parameter number: The number; a whole one up to 2^53 in magnitude becomes ``whole(_:)``.
  public init(_ number: Double) {
    if let whole = Int64(exactly: number), whole.magnitude <= UInt64(Self.largestNumber) {
      self = .whole(whole)
    } else {
      self = number.isFinite ? .decimal(String(number)) : .null
    }
  }
}
