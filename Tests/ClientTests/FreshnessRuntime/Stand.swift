import ConditionalHTTP
import Foundation
import Freshness
import FreshnessRuntime
import FreshnessTesting
import HTTPTypes
import Synchronization

/// A resource whose value is the text of its body.
struct Note: FreshResource {
  var path: String
  var own: Policy?
  var stream: String?
  var replaysEvents = false

  init(_ path: String, policy: Policy? = nil, stream: String? = nil) {
    self.path = path
    own = policy
    self.stream = stream
  }

  var policy: Policy? { own }

  func request(since known: String?) -> HTTPRequest {
    HTTPRequest(method: .get, scheme: "http", authority: "notes.example", path: path)
  }

  func read(
    _ answer: HTTPExchangeAnswer,
    since known: String?
  ) throws(UnreadableAnswer) -> Reading<String> {
    guard let text = String(validating: answer.body, as: UTF8.self) else {
      throw UnreadableAnswer("the note is no UTF-8")
    }
    return Reading(text)
  }

  func eventStream() -> HTTPRequest? {
    stream.map {
      HTTPRequest(method: .get, scheme: "http", authority: "notes.example", path: $0)
    }
  }
}

/// A URL of the scripted server.
func notesURL(_ path: String) -> URL {
  guard let url = URL(string: "http://notes.example\(path)") else {
    preconditionFailure("\(path) does not make a URL")
  }
  return url
}

/// A client, its clock and its transport.
struct Stand {
  let clock = ManualClock()
  let exchange: ScriptedExchange
  let streams = ScriptedStreaming()
  let wall = Wall()
  let client: FreshnessClient
  let records = Records()

  init(
    policy: Policy = .steady,
    limits: ClientLimits = ClientLimits(),
    exchange: ScriptedExchange = ScriptedExchange()
  ) {
    self.exchange = exchange
    let (wall, records) = (wall, records)
    client = FreshnessClient(
      exchange: exchange,
      streaming: streams,
      policy: policy,
      clock: HostClock(clock, wall: { wall.now }),
      random: RandomSource(),
      limits: limits,
      recorder: { records.add($0) }
    )
  }

  /// Lets time pass once the client has taken in the answers it was given, and sleeps.
  ///
  /// Only held requests, and functions that load, stay under way: for those the client gets a number of turns.
  func pass(_ span: Instant.Duration) async throws {
    for _ in 0..<1_000 where client.counters.requests > exchange.held.count { await Task.yield() }
    try await clock.waitForSleepers(atLeast: 1)
    await clock.advance(by: span.duration)
  }
}

/// A wall clock that is set manually.
final class Wall: Sendable {
  private let state = Mutex(WallTime(milliseconds: 1_800_000_000_000))
  var now: WallTime {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

/// The samples that were recorded.
final class Records: Sendable {
  private let state = Mutex<[SampleRecord]>([])
  func add(_ record: SampleRecord) { state.withLock { $0.append(record) } }
  var all: [SampleRecord] { state.withLock { $0 } }
}

/// A random source that always returns the middle.
struct RandomSource: RandomNumberGenerator, Sendable {
  mutating func next() -> UInt64 { 1 << 31 }
}

extension Policy {
  /// Ten seconds, without jitter and without a retry.
  static let steady: Policy = {
    var policy = Policy(every: .seconds(10))
    policy.ladderJitter = .none
    policy.retryDelay = nil
    return policy
  }()

  func with(_ change: (inout Policy) -> Void) -> Policy {
    var policy = self
    change(&policy)
    return policy
  }
}

extension ScriptedExchange.Reply {
  /// A 200 with a text.
  static func note(_ text: String, tag: String? = nil, _ fields: HTTPFields = [:]) -> Self {
    var fields = fields
    fields[.eTag] = tag
    return .answer(
      HTTPExchangeAnswer(
        head: HTTPResponse(status: .ok, headerFields: fields),
        body: Array(text.utf8)
      )
    )
  }

  /// A 200 with a JSON document.
  static func json(_ text: String, tag: String? = nil, _ fields: HTTPFields = [:]) -> Self {
    note(text, tag: tag, fields)
  }

  /// A 200 with a JSON string.
  static func applied(_ text: String, tag: String? = nil) -> Self {
    note("\"\(text)\"", tag: tag)
  }

  /// A status without a body.
  static func status(_ status: HTTPResponse.Status, _ fields: HTTPFields = [:]) -> Self {
    .answer(HTTPExchangeAnswer(head: HTTPResponse(status: status, headerFields: fields), body: []))
  }
}

/// Streams that a test opens and writes to.
final class ScriptedStreaming: HTTPStreaming, Sendable {
  typealias Receive = @Sendable (HTTPStreamPart) async -> HTTPStreamDemand

  /// A stream that was requested.
  final class Stream: Sendable {
    let request: HTTPRequest
    private let receive: Receive
    private let end: AsyncStream<Bool>.Continuation
    private let canceled = Mutex(false)
    /// Whether the task that waits for the stream was canceled.
    var isCanceled: Bool { canceled.withLock { $0 } }
    let ended: AsyncStream<Bool>

    init(_ request: HTTPRequest, _ receive: @escaping Receive) {
      self.request = request
      self.receive = receive
      (ended, end) = AsyncStream.makeStream()
    }

    func head(_ status: HTTPResponse.Status = .ok, type: String = "text/event-stream") async {
      let head = HTTPResponse(status: status, headerFields: [.contentType: type])
      if await receive(.head(head)) == .enough { close() }
    }

    func write(_ text: String) async {
      if await receive(.content(Array(text.utf8))) == .enough { close() }
    }

    func close() {
      end.yield(true)
      end.finish()
    }

    fileprivate func untilEnd() async {
      for await _ in ended { return }
      canceled.withLock { $0 = true }
    }
  }

  private let streams: AsyncStream<Stream>
  private let opened: AsyncStream<Stream>.Continuation
  private let count = Mutex(0)

  /// The number of streams that were requested.
  var openings: Int { count.withLock { $0 } }

  init() { (streams, opened) = AsyncStream.makeStream() }

  /// Waits for the next stream that is requested.
  func next() async -> Stream? {
    var iterator = streams.makeAsyncIterator()
    return await iterator.next()
  }

  func stream(
    _ request: HTTPRequest,
    timeout: Duration,
    receive: @escaping Receive
  ) async throws(HTTPExchangeError) {
    let stream = Stream(request, receive)
    count.withLock { $0 += 1 }
    opened.yield(stream)
    await stream.untilEnd()
  }
}

/// Yields until a condition holds; gives up after very many turns.
func eventually(
  isolation: isolated (any Actor)? = #isolation,
  _ holds: () -> Bool
) async -> Bool {
  for _ in 0..<5_000_000 {
    if holds() { return true }
    await Task.yield()
  }
  return holds()
}
