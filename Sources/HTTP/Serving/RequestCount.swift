/// Counts the requests of the last seconds, in a ring of whole seconds.
///
/// The caller supplies the time.
package struct RequestCount: Hashable, Sendable {
  /// The longest span, in seconds: longer than the cadence of any client with a visible board.
  package static let longest = 20

  private var seconds = [Int](repeating: 0, count: longest + 1)
  /// The second of the newest request.
  private var newest = Int.min

  /// Creates a count without requests.
  package init() {}

  /// Counts a request.
  ///
  /// - Parameter now: The time in seconds, from any origin. A time earlier than the newest counts as the newest.
  package mutating func note(at now: Double) {
    move(to: now)
    seconds[place(newest)] += 1
  }

  /// Returns how many requests came in the last seconds, including the current one.
  ///
  /// - Parameters:
  ///   - span: The number of seconds, from 1 to ``longest``.
  ///   - now: The time in seconds.
  /// - Returns: The number of requests.
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
