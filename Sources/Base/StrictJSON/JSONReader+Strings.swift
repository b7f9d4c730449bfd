extension JSONReader {
  mutating func string() throws(Fault) {
    let start = position
    position += 1
    let first = position
    var isASCII = true
    while true {
      skipPlain()
      guard position < bytes.count else { break }
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        let run = UnsafeBufferPointer(rebasing: bytes[first..<position])
        position += 1
        guard isASCII || Self.isUTF8(run) else { return try repair(Array(run), from: start) }
        return entries.append(
          .init(
            kind: .string,
            flags: isASCII ? .isASCII : [],
            tag: JSONDocument.Entry.tag(run),
            start: UInt32(first),
            count: UInt32(run.count)
          )
        )
      }
      guard byte >= 0x80 else { break }
      isASCII = false
      while position < bytes.count, bytes[position] >= 0x80 { position += 1 }
    }
    try escapedString(from: start)
  }

  /// Advances to the next quotation mark, backslash, control character or byte beyond ASCII.
  mutating func skipPlain() {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    while position + 8 <= bytes.count {
      let word = UInt64(
        littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(
          fromByteOffset: position,
          as: UInt64.self
        )
      )
      let quote = word ^ ones &* UInt64(UInt8(ascii: "\""))
      let backslash = word ^ ones &* UInt64(UInt8(ascii: "\\"))
      // The lowest byte found is correct; those above it may be false positives caused by it.
      let found =
        ((quote &- ones) & ~quote | (backslash &- ones) & ~backslash
          | (word &- ones &* 0x20) & ~word | word) & tops
      if found != 0 {
        position += found.trailingZeroBitCount >> 3
        return
      }
      position += 8
    }
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 || byte >= 0x80 {
        return
      }
      position += 1
    }
  }

  static func isUTF8(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    String(validating: text, as: UTF8.self) != nil
  }

  /// Returns the string that begins at a place and needs a replacement; the position is at the
  /// first such place.
  mutating func escapedString(from start: Int) throws(Fault) {
    var text = [UInt8](bytes[(start + 1)..<position])
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard text.withUnsafeBufferPointer(Self.isUTF8) else {
          return try repair(text, from: start)
        }
        return keep(text, from: start)
      case UInt8(ascii: "\\"): try escaped(into: &text)
      case 0..<0x20:
        guard rules.repairsStrings else {
          throw fault("a control character in a string", at: position - 1)
        }
        repairs += 1
        text.append(byte)
      default: text.append(byte)
      }
    }
    throw fault("the string does not end", at: start)
  }

  mutating func repair(_ text: [UInt8], from start: Int) throws(Fault) {
    guard rules.repairsStrings else { throw fault("the string is not UTF-8", at: start) }
    repairs += 1
    keep(Array(String(decoding: text, as: UTF8.self).utf8), from: start)
  }

  /// Stores a string that differs from the document.
  mutating func keep(_ text: [UInt8], from start: Int) {
    var flags: JSONDocument.Entry.Flags = .isRewritten
    if text.allSatisfy({ $0 < 0x80 }) { flags.insert(.isASCII) }
    entries.append(
      .init(
        kind: .string,
        flags: flags,
        tag: text.withUnsafeBufferPointer(JSONDocument.Entry.tag),
        start: UInt32(start + 1),
        count: UInt32(text.count),
        end: UInt32(rewritten.count)
      )
    )
    rewritten.append(contentsOf: text)
  }

  mutating func escaped(into text: inout [UInt8]) throws(Fault) {
    guard let byte = current else { throw fault("the string does not end") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text.append(contentsOf: String(Character(try scalar())).utf8)
    default: throw fault("an unknown escape", at: position - 2)
    }
  }

  mutating func scalar() throws(Fault) -> Unicode.Scalar {
    let place = position - 2
    let first = try unit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    // A surrogate pair represents one character.
    let behind = position
    if first < 0xDC00, bytes[position...].starts(with: "\\u".utf8) {
      position += 2
      let second = try unit()
      if (0xDC00...0xDFFF).contains(second),
        let scalar = Unicode.Scalar(0x1_0000 + (first - 0xD800) << 10 + (second - 0xDC00))
      {
        return scalar
      }
    }
    guard rules.repairsStrings else { throw fault("half a pair of surrogates", at: place) }
    position = behind
    repairs += 1
    return "\u{FFFD}"
  }

  mutating func unit() throws(Fault) -> UInt32 {
    var unit: UInt32 = 0
    guard position + 4 <= bytes.count else {
      throw fault("four hexadecimal digits are expected here")
    }
    for byte in bytes[position..<position + 4] {
      switch byte {
      case 0x30...0x39: unit = unit << 4 | UInt32(byte - 0x30)
      case 0x41...0x46, 0x61...0x66: unit = unit << 4 | UInt32((byte | 0x20) - 0x57)
      default: throw fault("four hexadecimal digits are expected here")
      }
    }
    position += 4
    return unit
  }
}

extension JSONReader {
  /// Finds repeated names of an object, whose names are the last ones from a place on.
  mutating func judgeNames(from first: Int) throws(Fault) {
    guard names.count - first > 1 else { return }
    guard names.count - first <= Self.fewNames else { return try judgeManyNames(from: first) }
    for index in first + 1..<names.count {
      let entry = entries[names[index]]
      for earlier in first..<index {
        let other = entries[names[earlier]]
        guard
          entry.tag == other.tag && entry.count == other.count
            || !entry.flags.intersection(other.flags).contains(.isASCII)
        else { continue }
        guard !other.flags.contains(.isHidden), name(names[earlier]) == name(names[index]) else {
          continue
        }
        try judge(names[index], after: names[earlier])
        break
      }
    }
  }

  mutating func judgeManyNames(from first: Int) throws(Fault) {
    var places = [String: Int](minimumCapacity: names.count - first)
    for index in first..<names.count {
      let place = names[index]
      guard let earlier = places.updateValue(place, forKey: name(place)) else { continue }
      try judge(place, after: earlier)
      if rules.repetition == .first { places[name(place)] = earlier }
    }
  }

  /// Applies the rule for a repeated name.
  mutating func judge(_ place: Int, after earlier: Int) throws(Fault) {
    let name = name(place)
    switch rules.repetition {
    case .refused:
      throw fault(
        "the member \"\(name)\" is given twice",
        at: Int(entries[place].start) - 1
      )
    case .first: entries[place].flags.insert(.isHidden)
    case .last: entries[earlier].flags.insert(.isHidden)
    }
    if repeated.count < Reading.mostNames { repeated.append(name) }
  }

  func name(_ place: Int) -> String {
    let entry = entries[place]
    if entry.flags.contains(.isRewritten) {
      return String(
        decoding: rewritten[Int(entry.end)..<Int(entry.end + entry.count)],
        as: UTF8.self
      )
    }
    return String(
      decoding: bytes[Int(entry.start)..<Int(entry.start + entry.count)],
      as: UTF8.self
    )
  }
}
