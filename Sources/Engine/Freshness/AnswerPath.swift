/// What is known of the way that answers take: the server's clock and caches (R31).
struct AnswerPath: Hashable, Sendable {
  /// The device's timeline less the server's clock, at the moment a request is sent.
  private var clock = Timespan.zero
  /// When the copy that the last answer came from left the server.
  private var filled = Moment.start
  /// How long a cache on the way is known to keep a copy, in milliseconds.
  private var life: Int32 = 0
  /// Whether that copy was made for a request of this client.
  private(set) var isOwn = false
  private var isKnown = false

  /// When the data of a source time was made, on the device's timeline.
  func moment(of made: WallTime) -> Moment { Moment(milliseconds: made.milliseconds) + clock }

  /// Takes in one answer about dated data.
  ///
  /// The shortest way tells the true clock: an answer that seems older than its own figures say
  /// came from a cache that does not admit it, or over a slow link.
  ///
  /// - Parameters:
  ///   - made: The source time.
  ///   - age: How old the data was by the answer's own figures.
  ///   - transit: The time in caches that they admit.
  ///   - sent: When the request was sent.
  ///   - tolerance: How far two moments of one copy may differ.
  /// - Returns: How long the answer lay in caches.
  mutating func note(
    made: WallTime,
    age: Timespan,
    transit: Timespan,
    sent: Moment,
    tolerance: Timespan
  ) -> Timespan {
    let reading = (sent - age) - Moment(milliseconds: made.milliseconds)
    let longer = reading - clock
    let isHidden = isKnown && longer > tolerance
    if !isKnown {
      clock = reading
    } else if isHidden {
      clock = clock + Timespan(milliseconds: longer.milliseconds / 32)
    } else if longer < .zero - tolerance {
      clock = reading
    } else {
      clock = clock + Timespan(milliseconds: longer.milliseconds / 8)
    }
    let lay = transit + (isHidden ? longer : .zero)
    let fill = sent - lay
    if !isKnown || fill - filled > tolerance {
      // Another copy came before this one had to go.
      if isKnown { life = Int32(clamping: min(Int64(life), (fill - filled).milliseconds)) }
      filled = fill
      isOwn = lay <= tolerance
    } else {
      life = Int32(clamping: max(Int64(life), lay.milliseconds))
    }
    isKnown = true
    return lay
  }

  /// Until when a request would be answered from the copy that the last answer came from; `nil` if no
  /// cache is known to keep one.
  func copyExpires(tolerance: Timespan) -> Moment? {
    keeps(tolerance: tolerance).map { filled + $0 }
  }

  /// How long a cache keeps a copy; `nil` if none is known to.
  func keeps(tolerance: Timespan) -> Timespan? {
    let life = Timespan(milliseconds: Int64(life))
    return life > tolerance ? life + Self.expiry : nil
  }

  /// What is left to a cache to let a copy go.
  private static let expiry = Timespan.milliseconds(250)
}
