import ConditionalHTTP
import Freshness
import FreshnessRuntime
import FreshnessTesting
import GTFSRealtime
import HTTPTypes
import Hashing
import Logging
import Serving
import Synchronization
import Testing

@testable import StationboardServer

/// Realtime sources whose answers a test gives, polled by the real poller on a clock moved by hand, and the
/// boards that come of them.
final class SourceStage: Sendable {
  /// What a source answers from now on.
  enum Answer: Sendable {
    case content([UInt8], type: String = "application/x-protobuf", fields: HTTPFields = [:])
    case status(Int, HTTPFields = [:])
    case failure(HTTPExchangeError.Code)
    /// Nothing, for ever.
    case silence

    fileprivate var reply: ScriptedExchange.Reply {
      switch self {
      case .content(let bytes, let type, let fields):
        var head = HTTPResponse(status: .ok, headerFields: fields)
        head.headerFields[.contentType] = type
        head.headerFields[.eTag] = fields[.eTag] ?? "\"\(FeedDigest(bytes))\""
        return .answer(HTTPExchangeAnswer(head: head, body: bytes))
      case .status(let code, let fields):
        let head = HTTPResponse(status: .init(code: code), headerFields: fields)
        return .answer(HTTPExchangeAnswer(head: head, body: []))
      case .failure(let code): return .failure(HTTPExchangeError(code, "as the test says"))
      case .silence: return .held
      }
    }

    /// The same answer; one that nothing changed names what the client has.
    fileprivate func confirming(_ tag: String?) -> Answer {
      guard case .status(304, var fields) = self else { return self }
      fields[.eTag] = fields[.eTag] ?? tag
      return .status(304, fields)
    }

    fileprivate var digest: FeedDigest? {
      guard case .content(let bytes, _, _) = self else { return nil }
      return FeedDigest(bytes)
    }
  }

  /// The sources' side: what they answer, and what they were asked.
  private final class Producer: Sendable {
    struct State {
      var answers: [String: Answer] = [:]
      /// When each source was asked, and with which fields.
      var asked: [String: [(at: Double, fields: HTTPFields)]] = [:]
      /// The newest content that each source gave.
      var given: [String: FeedDigest] = [:]
    }

    let state = Mutex(State())
    let clock: ServiceClock

    init(_ clock: ServiceClock) { self.clock = clock }

    func reply(_ sent: ScriptedExchange.Sent) -> ScriptedExchange.Reply {
      let path = sent.request.path ?? ""
      let now = clock.now
      return state.withLock { state in
        state.asked[path, default: []].append((now, sent.request.headerFields))
        let answer = state.answers[path] ?? .silence
        if let digest = answer.digest { state.given[path] = digest }
        return answer.confirming(sent.request.headerFields[.ifNoneMatch]).reply
      }
    }
  }

  /// 2026-10-20T06:30:05Z, a little after half past eight in Zurich: no trip leaves in half an hour to the
  /// second, from when on its realtime counts as missing.
  static let start: Int64 = 1_792_477_805

  let clock = ManualClock()
  let service: ServiceClock
  let store: FeedStore
  let feeds: RealtimeFeeds
  let probe: ServiceProbe
  /// What the sources wrote to the log.
  let log = RecordedLog()
  private let sources: [RealtimeSource]
  private let producer: Producer

  /// - Parameters:
  ///   - kinds: The kinds of sources.
  ///   - store: The timetables; `nil` for that of the storm.
  ///   - ease: How many boards a second the server renders easily.
  /// - Throws: What opening the timetables throws.
  init(
    _ kinds: [RealtimeSource.Kind] = [.tripUpdates],
    store: FeedStore? = nil,
    ease: Int = ServerLimits().boardsPerSecond
  ) throws {
    let logger = log.logger("sources")
    let service = ServiceClock(startingAt: Double(Self.start), on: clock)
    self.service = service
    self.store = try store ?? SampleFeed.store(StormNetwork.folder)
    let producer = Producer(service)
    self.producer = producer
    sources = kinds.map { kind in
      RealtimeSource(
        kind: kind,
        request: HTTPRequest(
          method: .get,
          scheme: "http",
          authority: "producer",
          path: "/" + kind.rawValue
        )
      )
    }
    feeds = RealtimeFeeds(
      sources: sources,
      store: self.store,
      exchange: ScriptedExchange { producer.reply($0) },
      clock: service,
      hostClock: HostClock(clock, wall: { WallTime(milliseconds: Int64(service.now * 1_000)) }),
      random: SplitMix64(seed: 7),
      logger: logger
    )
    probe = ServiceProbe(store: self.store, clock: service, realtime: feeds, ease: ease)
  }

  /// The time of the service clock, in whole seconds since 1970-01-01T00:00:00Z.
  var now: Int64 { Int64(service.now.rounded(.down)) }
  /// What the boards know.
  var snapshot: RealtimeSnapshot {
    store.feeds.first.map { feeds.snapshot(of: $0) } ?? RealtimeSnapshot()
  }

  /// Says what a source answers from now on.
  func answer(_ kind: RealtimeSource.Kind = .tripUpdates, _ answer: Answer) {
    producer.state.withLock { $0.answers["/" + kind.rawValue] = answer }
  }

  /// When a source was asked, in seconds since 1970-01-01T00:00:00Z.
  func asked(_ kind: RealtimeSource.Kind = .tripUpdates) -> [Double] {
    producer.state.withLock { $0.asked["/" + kind.rawValue, default: []].map(\.at) }
  }

  /// The fields of the newest request of a source.
  func lastFields(_ kind: RealtimeSource.Kind = .tripUpdates) -> HTTPFields {
    producer.state.withLock { $0.asked["/" + kind.rawValue]?.last?.fields ?? [:] }
  }

  // MARK: Time

  /// Runs the pollers while a body runs.
  func run(_ body: (SourceStage) async throws -> Void) async throws {
    let task = Task { await feeds.run() }
    defer { task.cancel() }
    try await settle()
    try await body(self)
  }

  /// Lets time pass, from one thing the pollers do to the next.
  func pass(_ span: Duration, until isEnough: () -> Bool = { false }) async throws {
    let end = clock.now.advanced(by: span)
    while let deadline = clock.nextDeadline, deadline <= end, !isEnough() {
      await clock.advance(by: clock.now.duration(to: deadline))
      try await settle()
    }
    if !isEnough() { await clock.advance(by: clock.now.duration(to: end)) }
  }

  /// Lets time pass until the next request to a source.
  func poll(_ kind: RealtimeSource.Kind = .tripUpdates) async throws {
    let count = asked(kind).count
    try await pass(.seconds(3_600)) { asked(kind).count > count }
    #expect(asked(kind).count == count + 1)
  }

  /// Waits until everything that is to happen at this instant has happened.
  func settle() async throws { try await wait("rest") { isAtRest } }

  /// Waits for a condition that takes no time to come true.
  func wait(_ name: String, for condition: () -> Bool) async throws {
    try await Patience.wait(name, for: condition)
  }

  private var isAtRest: Bool {
    guard clock.sleepers == sources.count else { return false }
    return sources.allSatisfy { source in
      let path = "/" + source.kind.rawValue
      // In the order in which things happen; see the storm's stage.
      guard let poller = feeds.poller(of: source), let last = asked(source.kind).last else {
        return false
      }
      let (given, isSilent) = producer.state.withLock { state in
        (state.given[path], state.answers[path].map { $0.isSilence } ?? true)
      }
      guard !poller.report.isRequesting || isSilent else { return false }
      let status =
        switch source.kind {
        case .tripUpdates: snapshot.trips
        case .alerts: snapshot.alerts
        case .vehiclePositions: snapshot.vehicles
        }
      // The request is noted last, behind everything else that its end changes.
      guard isSilent || (status.lastPollAt ?? 0) >= last else { return false }
      return status.judged == given && status.failure == poller.failure
    }
  }

  // MARK: Boards

  /// The board of the station where the trips of the first line begin.
  func board(_ more: String = "", headers: HTTPFields = [:]) async throws -> StormBoard {
    let path = "/api/stationboard?stop_id=S0&window_minutes=60\(more)"
    return StormBoard(try await probe.get(path, headers: headers))
  }

  /// Trip updates in which a trip that is about to leave has a delay, with other trips that have none.
  static func feed(delay: Int, at instant: Int64?, trips: Int = 1) -> [UInt8] {
    RealtimeWire.feed(
      [late(delay)]
        + (1..<max(1, trips)).map { number in
          RealtimeWire.Trip("R1-\(number)", date: "20261020")
            .with(RealtimeWire.Stop(1, departure: .delay(0)))
        },
      at: instant
    )
  }

  /// A trip that leaves at 8:40, with a delay.
  static func late(_ delay: Int) -> RealtimeWire.Trip {
    RealtimeWire.Trip("R0-14", date: "20261020")
      .with(RealtimeWire.Stop(1, departure: .delay(delay)))
  }

  /// The delay that a board shows of that trip.
  static func delay(_ board: StormBoard) -> Int? {
    board.rows.first { $0.tripID == "R0-14" }?.delay
  }
}

extension SourceStage.Answer {
  fileprivate var isSilence: Bool {
    if case .silence = self { true } else { false }
  }
}

extension StormBoard {
  var rtStatus: String { meta["rtStatus"] as? String ?? "" }
  var alertsStatus: String { meta["alertsStatus"] as? String ?? "" }
  var mode: String { meta["responseMode"] as? String ?? "" }
  var lastError: String? { rt["lastError"] as? String }
}
