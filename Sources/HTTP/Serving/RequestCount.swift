/// How many requests came in the last seconds: a ring of whole seconds, moved by whoever tells the time.
package struct RequestCount: Hashable, Sendable {
  /// The most seconds that are looked back: longer than the cadence of any client with boards on its screen.
  package static let longest = 20

  private var seconds = [Int](repeating: 0, count: longest + 1)
  /// The second of the newest request.
  private var newest = Int.min

  /// Creates a count of nothing.
  package init() {}

  /// Counts a request.
  ///
  /// - Parameter now: The time in seconds, whatever it is counted from. One that went back counts as the
  ///   newest that was told.
  package mutating func note(at now: Double) {
    move(to: now)
    seconds[place(newest)] += 1
  }

  /// How many came in the last seconds, the present one included.
  ///
  /// - Parameters:
  ///   - span: How many seconds are looked back: at least 1, at most ``longest``.
  ///   - now: The time in seconds.
  /// - Returns: How many.
  package mutating func count(last span: Double, at now: Double) -> Int {
    move(to: now)
    let length = Int(min(max(span.rounded(.up), 1), Double(Self.longest)))
    return (0...length).reduce(0) { $0 + seconds[place(newest - $1)] }
  }

  private mutating func move(to now: Double) {
    let second = Int(now.rounded(.down))
    guard second > newest else { return }
    let steps = newest == .min ? seconds.count : min(second - newest, seconds.count)
    newest = second
    for step in 0..<steps { seconds[place(newest - step)] = 0 }
  }

  private func place(_ second: Int) -> Int {
    let rest = second % seconds.count
    return rest < 0 ? rest + seconds.count : rest
  }
}
