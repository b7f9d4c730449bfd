/// A JSON text that was read: its bytes, and where in them each value is.
///
/// Values are made of it when they are asked for, so that who takes three members of a hundred pays for
/// three. Entries stand in the order of the text: behind an object its members, each as a name and a
/// value, behind a list its elements.
package final class JSONDocument: Sendable {
  /// Where a value or a name is, and what it is.
  struct Entry {
    enum Kind: UInt8 {
      case null, no, yes
      /// A whole number as digits.
      case whole
      /// A number with a fraction or an exponent that stands for the nearest whole one.
      case rounded
      /// A number that is kept as it is written.
      case decimal
      case string
      case list
      case object
    }

    struct Flags: OptionSet {
      let rawValue: UInt8
      /// The text has no other bytes than ASCII.
      static let isASCII = Flags(rawValue: 1)
      /// The text is not as it stands in the document: escapes are resolved, damage is replaced.
      static let isRewritten = Flags(rawValue: 2)
      /// A name that stands twice and does not count.
      static let isHidden = Flags(rawValue: 4)
    }

    var kind: Kind
    var flags: Flags = []
    /// Of a text, its first and last byte: what most names differ in already.
    ///
    /// Of an object, a bit for each
    /// length of a name in it: most names that are not there are known not to be there by it.
    var tag: UInt16 = 0
    /// The first byte, behind the quotation mark of a string.
    var start: UInt32
    /// Bytes of a text or a number, elements of a list, members of an object.
    var count: UInt32 = 0
    /// Of lists and objects, the entry behind the last one inside; of a rewritten text, its first byte among those.
    var end: UInt32 = 0
  }

  let bytes: [UInt8]
  let entries: [Entry]
  /// The texts that are not as they stand in the document, one behind the other.
  let rewritten: [UInt8]
  /// The members that stood twice in an object, the first of them.
  package let repeated: [String]
  /// How many strings were repaired.
  package let repairs: Int

  init(
    bytes: [UInt8],
    entries: [Entry],
    rewritten: [UInt8],
    repeated: [String],
    repairs: Int
  ) {
    self.bytes = bytes
    self.entries = entries
    self.rewritten = rewritten
    self.repeated = repeated
    self.repairs = repairs
  }

  /// What a value is.
  package enum Kind: Hashable, Sendable {
    case null, bool, number, string, list, object
  }

  /// What the value at a place is.
  package func kind(at place: Int) -> Kind {
    switch entries[place].kind {
    case .null: .null
    case .no, .yes: .bool
    case .whole, .rounded, .decimal: .number
    case .string: .string
    case .list: .list
    case .object: .object
    }
  }

  /// How many elements or members the list or object at a place has; 0 for anything else.
  package func count(at place: Int) -> Int {
    switch entries[place].kind {
    case .list, .object: Int(entries[place].count)
    default: 0
    }
  }

  /// The place behind a value and everything inside of it.
  package func end(of place: Int) -> Int {
    switch entries[place].kind {
    case .list, .object: Int(entries[place].end)
    default: place + 1
    }
  }

  /// Lengths that names have, each modulo 16: what tells quickly that a name is not there.
  package struct NameLengths: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The length of a name.
    package init(of name: String) { self.init(name.utf8.count) }

    init(_ length: Int) { rawValue = 1 << UInt16(length & 15) }
  }

  /// Whether the object at a place has a name of one of these lengths; false for anything else.
  package func hasName(of lengths: NameLengths, in object: Int) -> Bool {
    let entry = entries[object]
    return entry.kind == .object && !lengths.isDisjoint(with: NameLengths(rawValue: entry.tag))
  }

  /// The place of a member's value in the object at a place.
  ///
  /// Names are compared byte by byte (RFC 8259 section 8.3).
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - object: The place of the object.
  /// - Returns: The place of the value; nothing if there is no such member.
  package func member(_ name: String, of object: Int) -> Int? {
    guard hasName(of: NameLengths(of: name), in: object) else { return nil }
    return name.utf8.withContiguousStorageIfAvailable { member($0, of: object) }
      ?? Array(name.utf8).withUnsafeBufferPointer { member($0, of: object) }
  }

  private func member(_ name: UnsafeBufferPointer<UInt8>, of object: Int) -> Int? {
    let tag = Entry.tag(name)
    var place = object + 1
    for _ in 0..<entries[object].count {
      let entry = entries[place]
      if entry.tag == tag, entry.count == name.count, !entry.flags.contains(.isHidden),
        isEqual(entry, name)
      {
        return place + 1
      }
      place = end(of: place + 1)
    }
    return nil
  }

  private func isEqual(_ entry: Entry, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
    let isRewritten = entry.flags.contains(.isRewritten)
    let start = Int(isRewritten ? entry.end : entry.start)
    return (isRewritten ? rewritten : bytes).withUnsafeBufferPointer { text in
      for index in 0..<name.count where text[start + index] != name[index] { return false }
      return true
    }
  }

  /// The members of the object at a place that count, in the order of the text.
  package func members(of object: Int) -> Members { Members(self, object) }

  /// The name or the text at a place.
  package func name(at place: Int) -> String { text(of: entries[place]) }

  /// The value at a place.
  ///
  /// - Parameter place: Its place; that of the whole document is 0.
  /// - Returns: The value with everything inside of it.
  package func value(at place: Int = 0) -> JSONValue {
    let entry = entries[place]
    switch entry.kind {
    case .list:
      var elements: [JSONValue] = []
      elements.reserveCapacity(Int(entry.count))
      var next = place + 1
      while next < entry.end {
        elements.append(value(at: next))
        next = end(of: next)
      }
      return .list(elements)
    case .object:
      var object = [String: JSONValue](minimumCapacity: Int(entry.count))
      for member in members(of: place) {
        object[name(at: member.name)] = value(at: member.value)
      }
      return .object(object)
    default: return scalar(at: place)
    }
  }

  /// The value at a place, with lists and objects as if they were empty.
  ///
  /// - Parameter place: Its place.
  /// - Returns: The value.
  package func scalar(at place: Int) -> JSONValue {
    let entry = entries[place]
    switch entry.kind {
    case .null: return .null
    case .no: return .bool(false)
    case .yes: return .bool(true)
    case .whole: return .whole(whole(entry))
    case .rounded: return .whole(Int64((Double(text(of: entry)) ?? 0).rounded()))
    case .decimal: return .decimal(text(of: entry))
    case .string: return .string(text(of: entry))
    case .list: return .list([])
    case .object: return .object([:])
    }
  }

  private func whole(_ entry: Entry) -> Int64 {
    bytes.withUnsafeBufferPointer { bytes in
      var place = Int(entry.start)
      let end = place + Int(entry.count)
      let isNegative = bytes[place] == UInt8(ascii: "-")
      if isNegative { place += 1 }
      var number: Int64 = 0
      while place < end {
        number = number &* 10 &+ Int64(bytes[place] & 15)
        place += 1
      }
      return isNegative ? -number : number
    }
  }

  private func text(of entry: Entry) -> String {
    let isRewritten = entry.flags.contains(.isRewritten)
    let start = Int(isRewritten ? entry.end : entry.start)
    return (isRewritten ? rewritten : bytes).withUnsafeBufferPointer {
      String(
        decoding: UnsafeBufferPointer(rebasing: $0[start..<start + Int(entry.count)]),
        as: UTF8.self
      )
    }
  }
}

extension JSONDocument.Entry {
  /// The first and the last byte of a text.
  static func tag(_ text: UnsafeBufferPointer<UInt8>) -> UInt16 {
    guard let first = text.first, let last = text.last else { return 0 }
    return UInt16(first) << 8 | UInt16(last)
  }
}

extension JSONDocument {
  /// The members of an object that count, as places.
  package struct Members: Sequence, IteratorProtocol {
    private let document: JSONDocument
    private var place: Int
    private let end: Int

    init(_ document: JSONDocument, _ object: Int) {
      self.document = document
      place = object + 1
      end = document.end(of: object)
    }

    /// The places of the next member's name and value.
    package mutating func next() -> (name: Int, value: Int)? {
      while place < end {
        let name = place
        place = document.end(of: name + 1)
        if !document.entries[name].flags.contains(.isHidden) { return (name, name + 1) }
      }
      return nil
    }
  }
}
