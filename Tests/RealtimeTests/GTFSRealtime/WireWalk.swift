import Hashing

/// A plain reading of the wire format for the tests: slow, and no code of the reader's.
enum WireWalk {
  /// One field: its number, its wire type, its bytes with and without tag and length.
  struct Field {
    var number: UInt32
    var type: UInt8
    var whole: [UInt8]
    var payload: [UInt8]
  }

  /// The fields of a message; `nil` if it is broken or has a group.
  static func fields(_ bytes: [UInt8]) -> [Field]? {
    var fields: [Field] = []
    var position = 0
    while position < bytes.count {
      let start = position
      guard let tag = varint(bytes, &position), tag >= 8, tag < 1 << 32 else { return nil }
      var payload = position
      switch tag & 7 {
      case 0: guard varint(bytes, &position) != nil else { return nil }
      case 1: position += 8
      case 2:
        guard let length = varint(bytes, &position), length <= UInt64(bytes.count) else {
          return nil
        }
        payload = position
        position += Int(length)
      case 5: position += 4
      default: return nil
      }
      guard position <= bytes.count else { return nil }
      fields.append(
        Field(
          number: UInt32(tag >> 3),
          type: UInt8(tag & 7),
          whole: Array(bytes[start..<position]),
          payload: Array(bytes[payload..<position])
        )
      )
    }
    return fields
  }

  static func varint(_ bytes: [UInt8], _ position: inout Int) -> UInt64? {
    var value: UInt64 = 0
    for index in 0..<10 {
      guard position < bytes.count else { return nil }
      let byte = bytes[position]
      position += 1
      value |= UInt64(byte & 127) << UInt64(7 * index)
      if byte < 128 { return value }
    }
    return nil
  }

  static func varint(_ value: UInt64) -> [UInt8] {
    var rest = value
    var bytes: [UInt8] = []
    while rest > 127 {
      bytes.append(UInt8(rest & 127) | 128)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  /// A field that is a number.
  static func number(_ field: UInt32, _ value: UInt64) -> [UInt8] {
    varint(UInt64(field) << 3) + varint(value)
  }

  /// A field that is a text or a message.
  static func block(_ field: UInt32, _ content: [UInt8]) -> [UInt8] {
    varint(UInt64(field) << 3 | 2) + varint(UInt64(content.count)) + content
  }

  /// A field that is a text.
  static func text(_ field: UInt32, _ text: String) -> [UInt8] { block(field, Array(text.utf8)) }

  /// The numbers of a field among a message's bytes.
  static func numbers(of field: UInt32, in bytes: [UInt8]) -> [Int32] {
    (fields(bytes) ?? []).filter { $0.number == field && $0.type == 0 }.compactMap {
      var position = 0
      return varint($0.payload, &position).map { Int32(truncatingIfNeeded: $0) }
    }
  }

  /// The messages within a message that the reader of trip updates looks into: by field, and how deep
  /// they go on.
  indirect enum Shape {
    case message([UInt32: Shape], texts: Set<UInt32>, numbers: Set<UInt32>)

    static let event = Shape.message([:], texts: [], numbers: [1, 2, 3, 4])
    static let stopTimeUpdate = Shape.message(
      [2: event, 3: event, 6: .message([:], texts: [1, 2], numbers: [3, 4])],
      texts: [4],
      numbers: [1, 5, 7]
    )
    static let trip = Shape.message(
      [7: .message([:], texts: [1, 2, 3, 4], numbers: [])],
      texts: [1, 2, 3, 5, 8],
      numbers: [4, 6]
    )
    static let tripUpdate = Shape.message(
      [1: trip, 2: stopTimeUpdate, 6: .message([:], texts: [1, 2, 3, 4, 5, 6], numbers: [])],
      texts: [],
      numbers: [4, 5]
    )
    static let entity = Shape.message([3: tripUpdate], texts: [1], numbers: [2])
    static let header = Shape.message([:], texts: [1, 4], numbers: [2, 3])
    static let feed = Shape.message([1: header, 2: entity], texts: [], numbers: [])
  }

  /// The message without every field that is not in its shape; `nil` if it is broken where the shape
  /// looks.
  static func stripped(_ bytes: [UInt8], _ shape: Shape = .feed) -> [UInt8]? {
    guard case .message(let messages, let texts, let numbers) = shape, let fields = fields(bytes)
    else { return nil }
    var kept: [UInt8] = []
    for field in fields {
      if let inner = messages[field.number] {
        guard field.type == 2, let content = stripped(field.payload, inner) else { return nil }
        kept += block(field.number, content)
      } else if texts.contains(field.number) || numbers.contains(field.number) {
        kept += field.whole
      }
    }
    return kept
  }

  /// The same message as another encoder might write it: fields in any order, messages in two parts,
  /// numbers said twice, unknown fields between.
  static func scrambled(
    _ bytes: [UInt8],
    _ generator: inout SplitMix64,
    _ shape: Shape = .feed
  ) -> [UInt8] {
    guard case .message(let messages, _, let numbers) = shape, let fields = fields(bytes) else {
      return bytes
    }
    var parts: [[UInt8]] = []
    for field in fields {
      if let inner = messages[field.number] {
        let content = scrambled(field.payload, &generator, inner)
        let isRepeated = field.number == 2 && inner.isRepeated
        if !isRepeated, generator.oneIn(3), let pieces = WireWalk.fields(content), pieces.count > 1
        {
          let cut = generator.below(pieces.count)
          parts.append(block(field.number, pieces[..<cut].flatMap(\.whole)))
          parts.append(block(field.number, pieces[cut...].flatMap(\.whole)))
        } else {
          parts.append(block(field.number, content))
        }
      } else {
        parts.append(field.whole)
        if numbers.contains(field.number), generator.oneIn(8) {
          parts.append(number(field.number, generator.next()))
        }
      }
    }
    if generator.oneIn(4) { parts.append(text(1_000, "an extension")) }
    if generator.oneIn(4) { parts.append(number(19, generator.next())) }
    if generator.oneIn(8) { parts.append(varint(9_001 << 3 | 1) + Array(repeating: 7, count: 8)) }
    if generator.oneIn(8) { parts.append(varint(9_002 << 3 | 5) + Array(repeating: 7, count: 4)) }
    if generator.oneIn(2) { parts.shuffle(using: &generator) }
    return Array(parts.joined())
  }
}

extension WireWalk.Shape {
  /// Whether field 2 of this shape's parent is an entity or a stop time update, which do not merge.
  fileprivate var isRepeated: Bool {
    guard case .message(let messages, let texts, _) = self else { return false }
    return messages.keys.contains(3) && (texts == [1] || texts == [4])
  }
}
