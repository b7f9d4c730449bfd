/// Gives each distinct byte string a number, in order of first appearance.
///
/// An open-addressing hash table over one arena: a million ids of twenty bytes take some 40 MB, and
/// a look-up costs one hash and, as a rule, one comparison.
struct ByteTable {
  /// All strings, one after another.
  private(set) var arena: [UInt8] = []
  /// Where each string starts in the arena; one more than there are strings.
  private(set) var starts: [UInt32] = [0]
  // The upper half of a slot holds the upper half of the hash, the lower the number plus one.
  private var slots: [UInt64]
  private var mask: Int

  /// The bytes that the table takes.
  var keptBytes: Int { arena.count + 4 * starts.count + 8 * slots.count }

  /// The number of strings.
  var count: Int { starts.count - 1 }

  init(capacity: Int = 1_024) {
    var size = 1_024
    while size < capacity * 2 { size *= 2 }
    slots = Array(repeating: 0, count: size)
    mask = size - 1
  }

  /// The number of a string; `nil` if it is not in the table.
  func find(_ bytes: UnsafeRawBufferPointer) -> UInt32? {
    let hash = ByteHash.hash(bytes)
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 {
      if slots[slot] >> 32 == hash >> 32 {
        let number = UInt32(truncatingIfNeeded: slots[slot]) - 1
        if equals(number, bytes) { return number }
      }
      slot = (slot + 1) & mask
    }
    return nil
  }

  /// The number of a string, and whether it is new.
  mutating func insert(_ bytes: UnsafeRawBufferPointer) -> (number: UInt32, isNew: Bool) {
    let hash = ByteHash.hash(bytes)
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 {
      if slots[slot] >> 32 == hash >> 32 {
        let number = UInt32(truncatingIfNeeded: slots[slot]) - 1
        if equals(number, bytes) { return (number, false) }
      }
      slot = (slot + 1) & mask
    }
    let number = UInt32(count)
    slots[slot] = (hash >> 32) << 32 | UInt64(number + 1)
    arena.append(contentsOf: bytes)
    starts.append(UInt32(arena.count))
    if count * 2 > slots.count { grow() }
    return (number, true)
  }

  /// The number of a string, which is added if it is new.
  mutating func intern(_ text: String) -> UInt32 {
    var text = text
    return text.withUTF8 { insert(UnsafeRawBufferPointer($0)).number }
  }

  /// Whether a string has these bytes.
  @inline(__always)
  func equals(_ number: UInt32, _ bytes: UnsafeRawBufferPointer) -> Bool {
    let start = Int(starts[Int(number)])
    let count = Int(starts[Int(number) + 1]) - start
    guard count == bytes.count else { return false }
    return arena.withUnsafeBytes { arena in
      var index = 0
      while index + 8 <= count {
        let left = arena.loadUnaligned(fromByteOffset: start + index, as: UInt64.self)
        guard left == bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) else {
          return false
        }
        index += 8
      }
      while index < count {
        guard arena[start + index] == bytes[index] else { return false }
        index += 1
      }
      return true
    }
  }

  /// Lends the bytes of a string.
  func withBytes<Result>(of number: UInt32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    arena.withUnsafeBytes { arena in
      body(
        UnsafeRawBufferPointer(
          rebasing: arena[Int(starts[Int(number)])..<Int(starts[Int(number) + 1])]
        )
      )
    }
  }

  /// A string of the table.
  func text(_ number: UInt32) -> String {
    let range = Int(starts[Int(number)])..<Int(starts[Int(number) + 1])
    return String(decoding: arena[range], as: UTF8.self)
  }

  /// The numbers ordered by their bytes.
  func sorted() -> [UInt32] {
    arena.withUnsafeBytes { arena in
      // The first eight bytes decide nearly always; they are compared as one number.
      var keyed: [(prefix: UInt64, number: UInt32)] = []
      keyed.reserveCapacity(count)
      for number in 0..<count {
        let start = Int(starts[number])
        let length = min(8, Int(starts[number + 1]) - start)
        var prefix: UInt64 = 0
        for index in 0..<8 {
          prefix = prefix << 8 | (index < length ? UInt64(arena[start + index]) : 0)
        }
        keyed.append((prefix, UInt32(number)))
      }
      keyed.sort { left, right in
        guard left.prefix == right.prefix else { return left.prefix < right.prefix }
        let first = UnsafeRawBufferPointer(
          rebasing: arena[Int(starts[Int(left.number)])..<Int(starts[Int(left.number) + 1])]
        )
        let second = UnsafeRawBufferPointer(
          rebasing: arena[Int(starts[Int(right.number)])..<Int(starts[Int(right.number) + 1])]
        )
        return ByteOrder.precedes(first, second)
      }
      return keyed.map(\.number)
    }
  }

  private mutating func grow() {
    let size = slots.count * 2
    mask = size - 1
    slots = Array(repeating: 0, count: size)
    arena.withUnsafeBytes { arena in
      for number in 0..<count {
        let bytes = UnsafeRawBufferPointer(
          rebasing: arena[Int(starts[number])..<Int(starts[number + 1])]
        )
        let hash = ByteHash.hash(bytes)
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != 0 { slot = (slot + 1) & mask }
        slots[slot] = (hash >> 32) << 32 | UInt64(number + 1)
      }
    }
  }
}
