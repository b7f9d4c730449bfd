/// Collects the distinct texts of a feed while it is read.
///
/// An open-addressed table that is at most half full. The hash is seeded at random once per process, so
/// that a feed cannot be made to collide; numbers do not depend on it.
struct TextInterner {
  private var bytes: [UInt8] = []
  private var ends: [UInt32] = []
  /// The hash of a text in the upper half, its number plus 1 in the lower; 0 is free.
  private var slots: [UInt64]
  private var mask: Int
  /// Short texts that were found lately, by their hash.
  ///
  /// The ids of stops come again and again. One place in memory says all of them; of the whole table, the
  /// ends and the bytes, all three would have to be fetched from far away. This was a sixth of the work of a
  /// tick.
  private var recent: [ShortText]

  /// The most places of ``recent``: what fits where the processor is near.
  private static let mostRecent = 1 << 14

  private static let seed = UInt64.random(in: .min ... .max) | 1

  /// Creates a collection with room for about as many texts as a feed of a size has.
  init(feedBytes: Int) {
    var capacity = 1 << 10
    while capacity < feedBytes / 128 { capacity <<= 1 }
    slots = Array(repeating: 0, count: capacity)
    mask = capacity - 1
    recent = Array(repeating: ShortText(), count: min(capacity / 4, Self.mostRecent))
  }

  /// The table of all texts.
  consuming func table() -> TextTable { TextTable(bytes: bytes, ends: ends) }

  /// The number of a text; `nil` if it is not valid UTF-8.
  ///
  /// Only a new text is checked: a known one was checked before.
  mutating func number(of text: UnsafeRawBufferPointer) -> UInt32? {
    let hash = Self.hash(text)
    let place = Int(hash) & (recent.count - 1)
    let short = ShortText(text)
    if let short, recent[place].isEqual(short) { return recent[place].number }
    var slot = Int(hash) & mask
    while slots[slot] != 0 {
      let entry = slots[slot]
      let number = Int(UInt32(truncatingIfNeeded: entry)) - 1
      if entry >> 32 == hash, holds(text, number) {
        if var short {
          short.number = UInt32(number)
          recent[place] = short
        }
        return UInt32(number)
      }
      slot = (slot + 1) & mask
    }
    guard TextWords.areASCII(text) || String(validating: text, as: UTF8.self) != nil else {
      return nil
    }
    let number = UInt32(ends.count)
    bytes.append(contentsOf: text)
    ends.append(UInt32(bytes.count))
    slots[slot] = hash << 32 | UInt64(number + 1)
    if ends.count * 2 > slots.count { grow() }
    return number
  }

  /// The bytes of a text.
  func withBytes<Result>(_ number: UInt32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let start = number == 0 ? 0 : Int(ends[Int(number) - 1])
    let end = Int(ends[Int(number)])
    return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
  }

  /// Whether a text has no bytes.
  func isEmpty(_ number: UInt32) -> Bool {
    ends[Int(number)] == (number == 0 ? 0 : ends[Int(number) - 1])
  }

  private func holds(_ text: UnsafeRawBufferPointer, _ number: Int) -> Bool {
    let start = number == 0 ? 0 : Int(ends[number - 1])
    guard Int(ends[number]) - start == text.count else { return false }
    return bytes.withUnsafeBytes { stored in
      TextWords.areEqual(UnsafeRawBufferPointer(rebasing: stored[start..<start + text.count]), text)
    }
  }

  private mutating func grow() {
    let before = slots
    mask = before.count * 2 - 1
    slots = Array(repeating: 0, count: mask + 1)
    for entry in before where entry != 0 {
      var slot = Int(entry >> 32) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = entry
    }
  }

  /// A hash of 32 bits.
  private static func hash(_ text: UnsafeRawBufferPointer) -> UInt64 {
    var state = seed ^ UInt64(truncatingIfNeeded: text.count)
    var index = 0
    while index + 8 < text.count {
      state = mix(state ^ TextWords.word(text, index))
      index += 8
    }
    return mix(mix(state ^ TextWords.last(text))) >> 32
  }

  /// Folds the 128-bit product with a constant: every bit of the input reaches every part.
  private static func mix(_ value: UInt64) -> UInt64 {
    let product = (value ^ seed).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
    return product.high ^ product.low
  }
}
