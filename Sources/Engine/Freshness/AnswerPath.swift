/// What is known of the path that responses take: the server's clock and intermediate caches (R31).
struct AnswerPath: Hashable, Sendable {
  /// The device's timeline minus the server's clock, when a request is sent.
  private var clock = Instant.Duration.zero
  /// When the copy behind the last response left the server.
  private(set) var filled = Instant.start
  /// How long an intermediate cache is known to keep a copy, in milliseconds.
  private var life: Int32 = 0
  /// How many copies were lately fetched for other clients; own ones count a quarter against it.
  private var foreign: UInt8 = 0
  private var isKnown = false

  /// Whether copies in caches are usually fetched for the requests of this client.
  var isOwn: Bool { foreign < 4 }

  /// Returns when the data of a source time was made, on the device's timeline.
  func instant(of made: WallTime) -> Instant { Instant(milliseconds: made.milliseconds) + clock }

  /// Returns the time on the server's clock at an instant of the device's timeline.
  func time(at instant: Instant) -> WallTime {
    WallTime(milliseconds: (instant - clock).milliseconds)
  }

  /// Updates the path with one response about dated data.
  ///
  /// The shortest path reveals the true clock: a response that seems older than its own figures
  /// came from a cache that does not report its age, or over a slow connection.
  ///
  /// - Parameters:
  ///   - made: The source time.
  ///   - age: The age of the data by the response's own figures.
  ///   - transit: The time in caches that these figures report.
  ///   - sent: When the request was sent.
  ///   - tolerance: How far two instants of one copy may differ.
  /// - Returns: How long the response was held in caches.
  mutating func note(
    made: WallTime,
    age: Instant.Duration,
    transit: Instant.Duration,
    sent: Instant,
    tolerance: Instant.Duration
  ) -> Instant.Duration {
    let reading = (sent - age) - Instant(milliseconds: made.milliseconds)
    let longer = reading - clock
    let isHidden = isKnown && longer > tolerance
    if !isKnown {
      clock = reading
    } else if isHidden {
      clock = clock + Instant.Duration(milliseconds: longer.milliseconds / 32)
    } else if longer < .zero - tolerance {
      clock = reading
    } else {
      clock = clock + Instant.Duration(milliseconds: longer.milliseconds / 8)
    }
    let lay = transit + (isHidden ? longer : .zero)
    let fill = sent - lay
    if !isKnown || fill - filled > tolerance {
      // Another copy came before this one had to expire.
      if isKnown { life = Int32(clamping: min(Int64(life), (fill - filled).milliseconds)) }
      filled = fill
      foreign = lay > tolerance ? min(foreign + 4, 16) : foreign - (foreign > 0 ? 1 : 0)
    } else {
      life = Int32(clamping: max(Int64(life), lay.milliseconds))
    }
    isKnown = true
    return lay
  }

  /// Returns until when a request would be answered from the copy behind the last response, or
  /// `nil` if no cache is known to keep one.
  func copyExpires(tolerance: Instant.Duration) -> Instant? {
    keeps(tolerance: tolerance).map { filled + $0 }
  }

  /// Returns how long a cache keeps a copy, or `nil` if none is known to.
  func keeps(tolerance: Instant.Duration) -> Instant.Duration? {
    let life = Instant.Duration(milliseconds: Int64(life))
    return life > tolerance ? life + Self.expiry : nil
  }

  /// The time that a cache is given to drop an expired copy.
  private static let expiry = Instant.Duration.milliseconds(250)
}
