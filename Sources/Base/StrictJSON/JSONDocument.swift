/// A parsed JSON text: its bytes, and the position of each value in them.
///
/// Values are decoded lazily: reading three of a hundred members costs three. Entries are in the
/// order of the text: an object is followed by its members, each as a name and a value, a list by
/// its elements.
package final class JSONDocument: Sendable {
  /// The position and the kind of a value or a name.
  struct Entry {
    enum Kind: UInt8 {
      case null, no, yes
      /// A whole number as digits.
      case whole
      /// A number with a fraction or an exponent that is rounded to the nearest whole number.
      case rounded
      /// A number that is kept as written.
      case decimal
      case string
      case list
      case object
    }

    struct Flags: OptionSet {
      let rawValue: UInt8
      /// The string contains only ASCII.
      static let isASCII = Flags(rawValue: 1)
      /// The string differs from the document: escapes are resolved, damage is replaced.
      static let isRewritten = Flags(rawValue: 2)
      /// A repeated name that is ignored.
      static let isHidden = Flags(rawValue: 4)
    }

    var kind: Kind
    var flags: Flags = []
    /// Of a string, its first and last byte, in which most names differ already.
    ///
    /// Of an object, a bit for each length of a name in it, which shows that most absent names are
    /// absent.
    var tag: UInt16 = 0
    /// The first byte, after the quotation mark of a string.
    var start: UInt32
    /// The bytes of a string or a number, the elements of a list, or the members of an object.
    var count: UInt32 = 0
    /// Of lists and objects, the entry after the last one inside; of a rewritten string, its first
    /// byte among those.
    var end: UInt32 = 0
  }

  let bytes: [UInt8]
  let entries: [Entry]
  /// The strings that differ from the document, one after the other.
  let rewritten: [UInt8]
  /// The names of repeated members, up to a limit.
  package let repeated: [String]
  /// The number of repaired strings.
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

  /// The kind of a value.
  package enum Kind: Hashable, Sendable {
    case null, bool, number, string, list, object
  }

  /// Returns the kind of the value at a place.
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

  /// Returns the number of elements or members of the list or object at a place; 0 for anything
  /// else.
  package func count(at place: Int) -> Int {
    switch entries[place].kind {
    case .list, .object: Int(entries[place].count)
    default: 0
    }
  }

  /// Returns the place after a value and everything inside it.
  package func end(of place: Int) -> Int {
    switch entries[place].kind {
    case .list, .object: Int(entries[place].end)
    default: place + 1
    }
  }

  /// Lengths of names, each modulo 16, to reject absent names quickly.
  package struct NameLengths: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The length of a name.
    package init(of name: String) { self.init(name.utf8.count) }

    init(_ length: Int) { rawValue = 1 << UInt16(length & 15) }
  }

  /// Returns whether the object at a place has a name of one of these lengths; false for anything
  /// else.
  package func hasName(of lengths: NameLengths, in object: Int) -> Bool {
    let entry = entries[object]
    return entry.kind == .object && !lengths.isDisjoint(with: NameLengths(rawValue: entry.tag))
  }

  /// Returns the place of a member's value in the object at a place.
  ///
  /// Names are compared byte by byte (RFC 8259 section 8.3).
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - object: The place of the object.
  /// - Returns: The place of the value, or `nil` if the object has no such member.
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

  /// Returns the members of the object at a place, without ignored ones, in the order of the text.
  package func members(of object: Int) -> Members { Members(self, object) }

  /// Returns the name or the string at a place.
  package func name(at place: Int) -> String { text(of: entries[place]) }

  /// Returns the value at a place.
  ///
  /// - Parameter place: The place; 0 for the whole document.
  /// - Returns: The value with everything inside it.
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

  /// Returns the value at a place, with lists and objects as if they were empty.
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
  /// Returns the first and the last byte of a string.
  static func tag(_ text: UnsafeBufferPointer<UInt8>) -> UInt16 {
    guard let first = text.first, let last = text.last else { return 0 }
    return UInt16(first) << 8 | UInt16(last)
  }
}

extension JSONDocument {
  /// The members of an object, without ignored ones, as places.
  package struct Members: Sequence, IteratorProtocol {
    private let document: JSONDocument
    private var place: Int
    private let end: Int

    init(_ document: JSONDocument, _ object: Int) {
      self.document = document
      place = object + 1
      end = document.end(of: object)
    }

    /// Returns the places of the next member's name and value.
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
