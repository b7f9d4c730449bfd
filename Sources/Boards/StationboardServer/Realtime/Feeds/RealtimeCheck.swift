package import ConditionalHTTP
import GTFSRealtime
import HTTPTypes
package import Serving

/// Asks a realtime source once, and says how it fits a timetable.
package struct RealtimeCheck: Sendable {
  /// What came of it.
  package struct Result: Sendable {
    /// Whether the source is usable and fits.
    package var isGood: Bool
    /// The message for the user.
    package var sentences: [String]
  }

  private let source: RealtimeSource
  private let exchange: FileExchange
  private let clock: ServiceClock

  /// Creates a check.
  ///
  /// - Parameters:
  ///   - source: The source.
  ///   - exchange: Sends the request; files need none.
  ///   - clock: The service clock.
  package init(source: RealtimeSource, exchange: any HTTPExchange, clock: ServiceClock) {
    self.source = source
    self.exchange = FileExchange(otherwise: exchange)
    self.clock = clock
  }

  /// Asks the source and compares what came with a timetable.
  ///
  /// - Parameters:
  ///   - feed: The timetable that serves.
  ///   - leastPercent: The share of the trip updates that must match.
  /// - Returns: What came of it.
  package func run(against feed: Feed, leastPercent: Int) async -> Result {
    await ask { document throws(RealtimeError) in
      try judge(document, source.kind, feed, leastPercent)
    }
  }

  /// Asks the source and compares everything with a timetable that it has, whatever its kind.
  ///
  /// - Parameters:
  ///   - feed: The timetable that serves.
  ///   - leastPercent: The share of the trip updates that must match.
  /// - Returns: What came of it.
  package func runWhole(against feed: Feed, leastPercent: Int) async -> Result {
    await ask { document throws(RealtimeError) in
      var result = Result(isGood: true, sentences: [])
      if !(try document.tripUpdates().trips.isEmpty) {
        result = try judge(document, .tripUpdates, feed, leastPercent)
      }
      if !(try document.alerts().alerts.isEmpty) {
        result.sentences += try judge(document, .alerts, feed, leastPercent).sentences
      }
      if !(try document.vehiclePositions().positions.isEmpty) {
        let vehicles = try judge(document, .vehiclePositions, feed, leastPercent)
        result.isGood = result.isGood && vehicles.isGood
        result.sentences += vehicles.sentences
      }
      guard result.sentences.isEmpty else { return result }
      // A feed of alerts has none on a good day.
      return Result(
        isGood: true,
        sentences: ["it has no trip updates, vehicle positions or alerts now"]
      )
    }
  }

  private func ask(_ judge: (FeedDocument) throws(RealtimeError) -> Result) async -> Result {
    let download = FeedDownload(source: source, constants: source.policy)
    let answer: HTTPExchangeAnswer
    do throws(HTTPExchangeError) {
      answer = try await exchange.send(
        download.request(since: nil),
        timeout: .milliseconds(RealtimeSource.patience(source.kind))
      )
    } catch {
      return Result(isGood: false, sentences: [error.description])
    }
    guard answer.head.status == .ok else {
      let code = answer.head.status.code
      return Result(isGood: false, sentences: ["the server answered with status \(code)"])
    }
    do throws(RealtimeError) {
      let type = answer.head.headerFields[.contentType]
      return try judge(try FeedDocument(answer.body, contentType: type))
    } catch {
      return Result(isGood: false, sentences: ["\(error)"])
    }
  }

  private func judge(
    _ document: FeedDocument,
    _ kind: RealtimeSource.Kind,
    _ feed: Feed,
    _ leastPercent: Int
  ) throws(RealtimeError) -> Result {
    let now = clock.now
    switch kind {
    case .tripUpdates:
      let updates = try document.tripUpdates()
      let index = RealtimeIndex(updates, timetable: feed.timetable, arrivedAt: Int64(now))
      let report = MatchReport(index, of: feed, leastPercent: leastPercent)
      var sentences = report.sentences
      let age = Int64(now) - index.sourceTime
      if Double(age) > RealtimeDecay.standard.ageing {
        sentences.append("the feed is \(Self.spoken(age)) old")
      }
      return Result(isGood: report.status == .ok, sentences: sentences)
    case .vehiclePositions:
      let positions = try document.vehiclePositions()
      let index = VehicleIndex(positions, timetable: feed.timetable, arrivedAt: Int64(now))
      let counters = index.counters
      let wanted = counters.matched + counters.unmatched
      return Result(
        isGood: wanted == 0 || counters.matched * 100 >= wanted * leastPercent,
        sentences: [
          "\(counters.matched) of \(wanted) vehicles are on a trip that the timetable has"
            + (positions.counters.other > 0
              ? "; \(positions.counters.other) entities are of no trip" : "")
        ]
      )
    case .alerts:
      let alerts = AlertIndex(try document.alerts(), timetable: feed.timetable)
      let counters = alerts.counters
      let received = counters.alerts + counters.withoutEffect
      let about =
        "\(counters.alerts) of \(received) \(received == 1 ? "alert is" : "alerts are") about something that the timetable has"
      return Result(
        isGood: counters.alerts > 0 || received == 0,
        sentences: [about] + Self.reasons(counters)
      )
    }
  }

  /// Why selectors of alerts have no effect, with examples.
  private static func reasons(_ counters: AlertCounters) -> [String] {
    counters.unresolved.sorted { $0.key.rawValue < $1.key.rawValue }.map { reason, count in
      let alerts = counters.examples.filter { $0.reason == reason }
        .prefix(MatchLimits.mostExamples).compactMap { MatchReport.shown($0.alert) }
      let such = alerts.isEmpty ? "" : ", such as of " + alerts.joined(separator: ", ")
      let selectors = count == 1 ? "1 selector" : "\(count) selectors"
      return "\(selectors) without effect: \(reason.sentence)\(such)"
    }
  }

  /// A duration in the unit in which it is short.
  private static func spoken(_ seconds: Int64) -> String {
    switch seconds {
    case ..<600: "\(seconds) s"
    case ..<7_200: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3_600) h"
    default: "\(seconds / 86_400) days"
    }
  }
}
