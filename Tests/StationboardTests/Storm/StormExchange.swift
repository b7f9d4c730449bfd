import ConditionalHTTP
import FeedSimulation
import FreshnessTesting
import GTFSRealtime
import HTTPTypes
import Synchronization

/// The producer of a simulated world as a transport.
///
/// It answers what `freshet-lab feed` answers, without a socket, by a clock moved by hand. It can hang for ever.
final class StormExchange: HTTPExchange {
  /// Content that a client was given.
  struct Delivery: Sendable {
    /// The publication it is of.
    var tick: FeedTick
    /// When it was given, in milliseconds since 1970-01-01T00:00:00Z.
    var instant: Int64
    /// What is wrong with it.
    var fault: FeedFault?
    var digest: FeedDigest
    /// Its readable trip updates or alerts; `nil` if it is not a feed.
    var entities: Int?
  }

  /// What happened with one of the feeds.
  struct Log: Sendable {
    var requests = 0
    /// Requests that are held back: by a slow answer, or for ever.
    var outstanding = 0
    /// Answers by status.
    var statuses: [Int: Int] = [:]
    var faults: [FeedFault.Kind: Int] = [:]
    var deliveries: [Delivery] = []
  }

  private struct Sheet {
    var key: String
    var bytes: [UInt8]
    var digest: FeedDigest
    var entities: Int?
  }

  private struct State {
    var logs: [FeedStream: Log] = [:]
    var sheets: [FeedStream: Sheet] = [:]
    var isHanging = false
    var sleeping = 0
  }

  private let world: FeedWorld
  private let clock: ManualClock
  private let start: Int64
  private let state = Mutex(State())

  /// - Parameters:
  ///   - world: The world.
  ///   - clock: The clock.
  ///   - start: The world's time at the clock's first instant, in milliseconds since
  ///     1970-01-01T00:00:00Z.
  init(_ world: FeedWorld, clock: ManualClock, start: Int64) {
    self.world = world
    self.clock = clock
    self.start = start
  }

  /// The world's time, in milliseconds since 1970-01-01T00:00:00Z.
  var instant: Int64 { start + clock.now.offset.milliseconds }
  /// What happened with a feed.
  func log(_ stream: FeedStream) -> Log { state.withLock { $0.logs[stream] ?? Log() } }
  /// How many requests wait on the clock.
  var sleeping: Int { state.withLock { $0.sleeping } }

  /// From now on, or no longer, nothing ever comes back.
  func hang(_ isHanging: Bool = true) { state.withLock { $0.isHanging = isHanging } }

  func send(
    _ request: HTTPRequest,
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    let stream: FeedStream = request.path == "/alerts.pb" ? .alerts : .tripUpdates
    let isHanging = state.withLock { state in
      state.logs[stream, default: Log()].requests += 1
      return state.isHanging
    }
    if isHanging {
      state.withLock { $0.logs[stream]?.outstanding += 1 }
      defer { state.withLock { $0.logs[stream]?.outstanding -= 1 } }
      // A stream without a writer ends with the task.
      for await _ in AsyncStream<Never>.makeStream().stream {}
      throw HTTPExchangeError(.cancelled, "the request was abandoned")
    }
    let answer = world.answer(stream, at: instant)
    if answer.wait > 0 {
      hold(stream, 1)
      defer { hold(stream, -1) }
      do {
        // One millisecond more: a response at the instant of a timeout may or may not arrive in
        // time.
        try await clock.sleep(for: .milliseconds(answer.wait + 1))
      } catch {
        throw HTTPExchangeError(.cancelled, "the request was abandoned")
      }
    }
    let sheet = sheet(answer)
    let reply = FeedReply(
      answer,
      digest: sheet.digest,
      contentType: "application/x-protobuf",
      request: request.headerFields,
      at: instant
    )
    state.withLock { state in
      state.logs[stream]?.statuses[reply.head.status.code, default: 0] += 1
      if let fault = answer.fault { state.logs[stream]?.faults[fault.kind, default: 0] += 1 }
      guard reply.hasContent, answer.status == 200 else { return }
      state.logs[stream]?.deliveries.append(
        Delivery(
          tick: answer.tick,
          instant: instant,
          fault: answer.fault,
          digest: sheet.digest,
          entities: sheet.entities
        )
      )
    }
    return HTTPExchangeAnswer(head: reply.head, body: reply.hasContent ? sheet.bytes : [])
  }

  private func hold(_ stream: FeedStream, _ change: Int) {
    state.withLock { state in
      state.sleeping += change
      state.logs[stream]?.outstanding += change
    }
  }

  /// The content of an answer, written once.
  private func sheet(_ answer: FeedAnswer) -> Sheet {
    let fault = answer.status == 200 ? answer.fault?.kind.rawValue ?? "" : "-"
    let key = "\(answer.tick.number) \(fault)"
    if let sheet = state.withLock({ $0.sheets[answer.stream] }), sheet.key == key { return sheet }
    let bytes = world.body(of: answer)
    let entities = (try? FeedDocument(bytes)).flatMap { document in
      answer.stream == .alerts
        ? (try? document.alerts())?.counters.used : (try? document.tripUpdates())?.counters.used
    }
    let sheet = Sheet(key: key, bytes: bytes, digest: FeedDigest(bytes), entities: entities)
    state.withLock { $0.sheets[answer.stream] = sheet }
    return sheet
  }
}

extension Duration {
  /// The length in whole milliseconds.
  var milliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}
