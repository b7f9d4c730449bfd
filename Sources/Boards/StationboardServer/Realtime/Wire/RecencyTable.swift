/// Values by their keys, which knows the one that was used the longest ago.
///
/// Each operation takes the same time however many values there are. A list runs through the values, from the one
/// used last to the one used first; its links are places in an array, so that nothing is counted or freed to move one.
struct RecencyTable<Key: Hashable, Value> {
  private static var none: Int { -1 }

  private struct Slot {
    var entry: (key: Key, value: Value)?
    var newer = -1
    var older = -1
  }

  private var slots: [Slot] = []
  private var places: [Key: Int] = [:]
  /// Slots without a value, to be used again.
  private var free: [Int] = []
  private var newest = -1
  private var oldest = -1

  /// The number of values.
  var count: Int { places.count }

  /// A value, which stays where it is in the order.
  func peek(_ key: Key) -> Value? {
    places[key].flatMap { slots[$0].entry?.value }
  }

  /// A value, which is now the one used last.
  mutating func use(_ key: Key) -> Value? {
    guard let place = places[key] else { return nil }
    moveToFront(place)
    return slots[place].entry?.value
  }

  /// Changes a value where it is, without using it.
  mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
    guard let place = places[key], var entry = slots[place].entry else { return }
    change(&entry.value)
    slots[place].entry = entry
  }

  /// Puts a value in the place of the one before, as the one used last.
  ///
  /// - Returns: The value before.
  @discardableResult
  mutating func put(_ value: Value, _ key: Key) -> Value? {
    if let place = places[key] {
      let before = slots[place].entry?.value
      slots[place].entry = (key, value)
      moveToFront(place)
      return before
    }
    let place = free.popLast() ?? slots.count
    if place == slots.count { slots.append(Slot()) }
    slots[place].entry = (key, value)
    places[key] = place
    link(place)
    return nil
  }

  /// Takes out the value that was used the longest ago.
  mutating func removeOldest() -> Value? {
    guard oldest != Self.none, let entry = slots[oldest].entry else { return nil }
    let place = oldest
    unlink(place)
    slots[place].entry = nil
    places[entry.key] = nil
    free.append(place)
    return entry.value
  }

  private mutating func moveToFront(_ place: Int) {
    guard place != newest else { return }
    unlink(place)
    link(place)
  }

  private mutating func link(_ place: Int) {
    slots[place].newer = Self.none
    slots[place].older = newest
    if newest != Self.none { slots[newest].newer = place }
    newest = place
    if oldest == Self.none { oldest = place }
  }

  private mutating func unlink(_ place: Int) {
    let (newer, older) = (slots[place].newer, slots[place].older)
    if newer != Self.none { slots[newer].older = older } else { newest = older }
    if older != Self.none { slots[older].newer = newer } else { oldest = newer }
  }
}
