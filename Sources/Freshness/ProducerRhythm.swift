/// What is known of the rhythm in which the data is made (R31).
///
/// Two sources: the server states the next change, or the rhythm is learned from the ages of past
/// answers. What is stated beats what is learned. Until either is trusted, polling is blind.
struct ProducerRhythm: Hashable, Sendable {
  /// The last change that was seen, on the device's timeline.
  private(set) var lastChange: Moment?
  /// How old the newest change was at the last arrival; below zero for one that was only stated.
  private(set) var lastAge: Timespan?
  /// The time between two changes.
  private(set) var period: Timespan?
  /// How many periods in a row agreed; two are trusted, so the third change is foreseen.
  private(set) var agreement: Int32 = 0
  /// The next change the server expects, on the device's timeline.
  private(set) var stated: Moment?

  /// The window over which the server wants its clients to spread.
  private(set) var window: Timespan = .zero
  /// This client's place in that window, drawn once: a place that moved would move the rate.
  private(set) var place: Draw?

  /// Learns from an answer.
  ///
  /// - Parameters:
  ///   - marks: The answer's own figures.
  ///   - hints: What the server says of its next change.
  ///   - now: The arrival.
  ///   - draw: The draw of this client's place, should it have none.
  ///   - tolerance: How far two periods may differ and still agree.
  mutating func learn(
    marks: Marks,
    hints: Hints,
    at now: Moment,
    draw: Draw,
    tolerance: Timespan
  ) {
    window = max(hints.spread ?? .zero, .zero)
    if place == nil { place = draw }
    if let age = marks.ageAtArrival, marks.fetchedAt != nil {
      observe(change: now - age, at: now, tolerance: tolerance)
    }
    stated = hints.nextExpected(marks: marks).flatMap { $0 > .zero ? now + $0 : nil }
    guard let stated else { return }
    guard marks.fetchedAt != nil else {
      // Stated moments alone have the same rhythm as the changes they foretell.
      observe(change: stated, at: now, tolerance: tolerance)
      return
    }
    guard let lastChange, stated > lastChange else { return }
    // A stated change together with the last one is a whole period: no need to learn it.
    period = stated - lastChange
    agreement = 2
  }

  private mutating func observe(change: Moment, at now: Moment, tolerance: Timespan) {
    let age = now - change
    let previousAge = lastAge
    lastAge = age
    guard let previous = lastChange, let previousAge else {
      lastChange = change
      return
    }
    let distance = change - previous
    // The same change again, give or take the network, teaches nothing.
    guard distance > tolerance else { return }
    lastChange = change
    guard !Self.isPollersOwn(age, previousAge, tolerance: tolerance) else { return }
    guard let known = period, known > .zero else {
      period = distance
      agreement = 1
      return
    }
    // A poll may have missed some changes: the distance is then a multiple of the period.
    let times = max((distance + known.percent(50)).milliseconds / known.milliseconds, 1)
    let single = Timespan(milliseconds: distance.milliseconds / times)
    let difference = single < known ? known - single : single - known
    if difference <= tolerance {
      period = known + Timespan(milliseconds: (single - known).milliseconds / 4)
      agreement = min(agreement + 1, 8)
    } else if agreement > 2 {
      // A bad estimate falls back to blind polling, not at the first doubt.
      agreement -= 2
    } else {
      period = distance
      agreement = 1
    }
  }

  /// Whether the distance of two changes may be no more than that of the two requests.
  ///
  /// A producer that changes its data all the time, or says of any answer that it is equally old, has
  /// no rhythm. What is learned there is the poller's own, a little longer every time: it would go
  /// on to twice its interval. Changes that were as new as a request can see them say as little.
  private static func isPollersOwn(
    _ age: Timespan,
    _ previous: Timespan,
    tolerance: Timespan
  ) -> Bool {
    let older = max(age, previous)
    let newer = min(age, previous)
    return older - newer <= tolerance.percent(10) || newer >= .zero && older <= tolerance
  }

  /// How old a change may be when it is asked for, in percent of the interval (R31).
  static let latePercent: Int64 = 25

  /// The moment of the next aligned request and what foretold it, or `nil` for a blind one.
  ///
  /// R31: inside the budget of the cadence. An aligned request starts no earlier than the interval
  /// less the slack after the last start (R10), and at most one interval later than a blind one. A
  /// change that comes before that is asked for then, while it is not too old by
  /// that time: to wait for the one after it would cost a whole period.
  func due(_ facts: Cadence.Facts, policy: Policy) -> (moment: Moment, isStated: Bool)? {
    guard let alignment = policy.alignment else { return nil }
    let earliest = facts.started + max(facts.interval - alignment.slack, .zero)
    let latest = facts.started + facts.interval * 2
    let place = (place ?? facts.draw).upTo(window)
    let late = max(alignment.delay + alignment.spread, facts.interval.percent(Self.latePercent))
    guard let change = nextChange(notBefore: earliest - place - late) else { return nil }
    // Jitter comes after the expected moment, never before it (peers-client.md 6.1).
    let jitter = facts.draw.upTo(alignment.spread)
    let wanted = change.moment + alignment.delay + place + jitter
    // Whoever is late is spread as well: clients that started together would stay together.
    let due = wanted >= earliest ? wanted : earliest + jitter
    guard due <= latest, due >= facts.ended else { return nil }
    return (max(due, facts.started + policy.leastInterval), change.isStated)
  }

  private func nextChange(notBefore moment: Moment) -> (moment: Moment, isStated: Bool)? {
    if let stated, stated >= moment { return (stated, true) }
    guard agreement >= 2, let period, period > .zero, let anchor = stated ?? lastChange else {
      return nil
    }
    let behind = (moment - anchor).milliseconds
    guard behind > 0 else { return (anchor, false) }
    let times = (behind - 1) / period.milliseconds + 1
    return (anchor + period * times, false)
  }
}

/// What a server says about its next change (R31).
public struct Hints: Hashable, Sendable {
  /// When the next change is expected, on the server's clock.
  public var nextExpectedAt: WallTime?
  /// How long the answer stays fresh (`Cache-Control: max-age`).
  public var maxAge: Timespan?
  /// The window after a change over which the server wants its clients to spread.
  ///
  /// The server alone knows how many they are: half a period or more keeps the peak of any number
  /// of clients under twice the mean, and costs each of them half the window in age.
  public var spread: Timespan?

  /// Creates hints.
  public init(
    nextExpectedAt: WallTime? = nil,
    maxAge: Timespan? = nil,
    spread: Timespan? = nil
  ) {
    self.nextExpectedAt = nextExpectedAt
    self.maxAge = maxAge
    self.spread = spread
  }

  /// The time from the arrival of an answer to the next change.
  ///
  /// Both forms are measured on the server's clock; time in caches has passed already.
  func nextExpected(marks: Marks) -> Timespan? {
    if let nextExpectedAt, let serverTime = marks.serverTime {
      return nextExpectedAt - serverTime - marks.transit
    }
    return maxAge.map { $0 - marks.transit }
  }
}
