#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A name of a file, a folder, a branch or a ref: equal to another one if the bytes are.
///
/// Swift's strings are equal if they are canonically equivalent, so that `é` in one byte sequence is `é` in another. To
/// git and to the file systems of Linux these are two names.
package struct Name: Hashable, Sendable {
  /// The name.
  package let text: String

  /// Takes a name.
  init(_ text: String) { self.text = text }

  /// Compares bytes.
  package static func == (left: Self, right: Self) -> Bool { left.text.isSameName(as: right.text) }

  /// Hashes bytes.
  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension StringProtocol {
  /// Whether two names have the same bytes; unlike `==`, which takes canonically equivalent ones for equal.
  package func isSameName(as other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }

  /// Whether the bytes of a name begin with those of another; unlike `hasPrefix`, which compares characters.
  package func beginsWithName(_ start: some StringProtocol) -> Bool {
    utf8.starts(with: start.utf8)
  }

  /// What follows another name at the beginning, such as `x` of `refs/heads/x`; `nil` if it does not begin with it.
  package func name(after start: String) -> String? {
    beginsWithName(start)
      ? String(decoding: utf8.dropFirst(start.utf8.count), as: UTF8.self) : nil
  }

  /// The path without its last part; empty if it has one part only.
  package var parentPath: String {
    let bytes = String(self).utf8
    return bytes.lastIndex(of: UInt8(ascii: "/")).map {
      String(decoding: bytes[..<$0], as: UTF8.self)
    } ?? ""
  }

  /// Whether a name comes before another one by its bytes.
  package func isNameBefore(_ other: some StringProtocol) -> Bool {
    utf8.lexicographicallyPrecedes(other.utf8)
  }
}

extension String {
  /// Whether two names have the same bytes.
  ///
  /// Faster than the method for all kinds of strings: it compares memory.
  package func isSameName(as other: String) -> Bool {
    utf8.count == other.utf8.count && beginsWithName(other)
  }

  /// Whether the bytes of a name begin with those of another.
  package func beginsWithName(_ start: String) -> Bool {
    let length = start.utf8.count
    guard utf8.count >= length else { return false }
    let begins = utf8.withContiguousStorageIfAvailable { own in
      start.utf8.withContiguousStorageIfAvailable { start in
        guard let one = own.baseAddress, let other = start.baseAddress else { return length == 0 }
        return memcmp(one, other, length) == 0
      }
    }
    return (begins ?? nil) ?? utf8.starts(with: start.utf8)
  }

  /// Whether a name comes before another one by its bytes.
  package func isNameBefore(_ other: String) -> Bool {
    let order = utf8.withContiguousStorageIfAvailable { own in
      other.utf8.withContiguousStorageIfAvailable { other in
        let shared = min(own.count, other.count)
        guard shared > 0, let one = own.baseAddress, let two = other.baseAddress else {
          return own.count < other.count
        }
        let order = memcmp(one, two, shared)
        return order == 0 ? own.count < other.count : order < 0
      }
    }
    return (order ?? nil) ?? utf8.lexicographicallyPrecedes(other.utf8)
  }
}

/// Values by names, which are compared by their bytes.
package struct NameTable<Value>: Sequence, ExpressibleByDictionaryLiteral {
  private var table: [Name: Value] = [:]

  /// Starts empty.
  package init() {}

  /// Creates a table of names with values; of a duplicate name, the last value counts.
  package init(_ pairs: some Sequence<(String, Value)>) {
    for (name, value) in pairs { table[Name(name)] = value }
  }

  /// Takes names with their values.
  package init(dictionaryLiteral pairs: (String, Value)...) { self.init(pairs) }

  private init(table: [Name: Value]) { self.table = table }

  /// The value of a name.
  package subscript(name: String) -> Value? {
    get { table[Name(name)] }
    _modify { yield &table[Name(name)] }
  }

  /// The value of a name, or another one if it has none.
  package subscript(name: String, default fallback: @autoclosure () -> Value) -> Value {
    get { table[Name(name)] ?? fallback() }
    _modify { yield &table[Name(name), default: fallback()] }
  }

  /// Gives a name a value.
  ///
  /// - Returns: The value it had.
  @discardableResult
  package mutating func updateValue(_ value: Value, forKey name: String) -> Value? {
    table.updateValue(value, forKey: Name(name))
  }

  /// Takes a name away.
  ///
  /// - Returns: The value it had.
  @discardableResult
  package mutating func removeValue(forKey name: String) -> Value? {
    table.removeValue(forKey: Name(name))
  }

  /// Takes the values of another table; of a name that both have, that one's.
  package mutating func merge(_ other: Self) { table.merge(other.table) { $1 } }

  /// The names, in no order.
  package var keys: [String] { table.keys.map(\.text) }
  /// The values, in no order.
  package var values: Dictionary<Name, Value>.Values { table.values }
  /// The number of names.
  package var count: Int { table.count }
  /// Whether the table is empty.
  package var isEmpty: Bool { table.isEmpty }

  /// The names with their values, in no order.
  package func makeIterator() -> AnyIterator<(key: String, value: Value)> {
    var iterator = table.makeIterator()
    return AnyIterator { iterator.next().map { (key: $0.key.text, value: $0.value) } }
  }

  /// The entries for which a condition holds.
  package func filter(
    _ isIncluded: ((key: String, value: Value)) throws -> Bool
  ) rethrows -> Self {
    Self(table: try table.filter { try isIncluded((key: $0.key.text, value: $0.value)) })
  }

  /// The same names with other values.
  package func mapValues<Other>(_ transform: (Value) throws -> Other) rethrows -> NameTable<Other> {
    NameTable<Other>(table: try table.mapValues(transform))
  }
}

extension NameTable: Equatable where Value: Equatable {}
extension NameTable: Hashable where Value: Hashable {}
extension NameTable: Sendable where Value: Sendable {}

/// Names, which are compared by their bytes.
package struct NameSet: Sequence, Hashable, Sendable, ExpressibleByArrayLiteral {
  private var names: Set<Name> = []

  /// Takes names.
  package init(_ names: some Sequence<String>) { self.names = Set(names.map { Name($0) }) }

  /// Takes names.
  package init(arrayLiteral names: String...) { self.init(names) }

  /// Starts empty.
  package init() {}

  /// Adds a name.
  ///
  /// - Returns: Whether it was new.
  @discardableResult
  package mutating func insert(_ name: String) -> (inserted: Bool, memberAfterInsert: String) {
    let (inserted, member) = names.insert(Name(name))
    return (inserted, member.text)
  }

  /// Adds names.
  package mutating func formUnion(_ others: some Sequence<String>) {
    for name in others { insert(name) }
  }

  /// Whether a name is among them.
  package func contains(_ name: String) -> Bool { names.contains(Name(name)) }

  /// The number of names.
  package var count: Int { names.count }
  /// Whether the set is empty.
  package var isEmpty: Bool { names.isEmpty }
  /// The names in the order of their bytes.
  package func sorted() -> [String] { names.map(\.text).sorted { $0.isNameBefore($1) } }

  /// The names, in no order.
  package func makeIterator() -> AnyIterator<String> {
    var iterator = names.makeIterator()
    return AnyIterator { iterator.next()?.text }
  }
}
