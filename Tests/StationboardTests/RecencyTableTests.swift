import Testing

@testable import StationboardServer

@Suite struct RecencyTableTests {
  /// The same in the plainest way: a list, from the value used last to the one used first.
  private struct Model {
    var entries: [(key: Int, value: Int)] = []

    mutating func use(_ key: Int) -> Int? {
      guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
      let entry = entries.remove(at: index)
      entries.insert(entry, at: 0)
      return entry.value
    }

    mutating func put(_ value: Int, _ key: Int) -> Int? {
      let index = entries.firstIndex { $0.key == key }
      let before = index.map { entries.remove(at: $0).value }
      entries.insert((key, value), at: 0)
      return before
    }
  }

  @Test func `the table keeps the order of a plain list through random operations`() {
    var random = SystemRandomNumberGenerator()
    var table = RecencyTable<Int, Int>()
    var model = Model()
    for number in 0..<20_000 {
      let key = Int.random(in: 0..<40, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1: #expect(table.put(number, key) == model.put(number, key))
      case 2: #expect(table.use(key) == model.use(key))
      case 3: #expect(table.peek(key) == model.entries.first { $0.key == key }?.value)
      case 4:
        table.update(key) { $0 += 1 }
        if let index = model.entries.firstIndex(where: { $0.key == key }) {
          model.entries[index].value += 1
        }
      default: #expect(table.removeOldest() == model.entries.popLast()?.value)
      }
      #expect(table.count == model.entries.count)
    }
    while let last = model.entries.popLast() { #expect(table.removeOldest() == last.value) }
    #expect(table.removeOldest() == nil)
    #expect(table.count == 0)
  }
}
