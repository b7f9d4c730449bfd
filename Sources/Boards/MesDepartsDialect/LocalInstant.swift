import ConditionalHTTP

/// Instants as local times with their offset, `2026-11-24T08:00:00+0100`.
enum LocalInstant {
  /// Writes an instant.
  ///
  /// - Parameters:
  ///   - seconds: Seconds since 1970-01-01T00:00:00Z.
  ///   - offset: Seconds that the local clocks are ahead of UTC.
  /// - Returns: The text.
  static func text(_ seconds: Int64, offset: Int) -> String {
    let local = InstantText.write(Double(seconds + Int64(offset)))
    let size = abs(offset)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let zone = (offset < 0 ? "-" : "+") + two(size / 3_600) + two(size / 60 % 60)
    return local.prefix(19) + zone
  }
}
