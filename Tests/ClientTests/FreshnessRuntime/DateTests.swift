import ConditionalHTTP
import EventFeed
import Foundation
import Freshness
import FreshnessRuntime
import FreshnessTesting
import HTTPTypes
import Synchronization
import Testing

/// R37 with the clock of the machine: a server whose only clock is `Date`.
@Suite("FreshnessClient: Date in whole seconds", .timeLimit(.minutes(2)))
struct DateTests {
  private struct Measured: Codable, Equatable, Sendable {
    var made: Double
  }

  /// Data made in the last tenth of the previous second, each time later, under a `Date` in whole
  /// seconds.
  private struct DatedExchange: HTTPExchange {
    func send(
      _ request: HTTPRequest,
      timeout: Duration
    ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
      let now = Date.now.timeIntervalSince1970
      let second = now.rounded(.down)
      let made = ((second - 0.1 + (now - second) / 10) * 1_000).rounded(.down) / 1_000
      let date = HTTPDate(secondsSince1970: Int64(second))
      return HTTPExchangeAnswer(
        head: HTTPResponse(status: .ok, headerFields: [.date: date.description]),
        body: Array(#"{"made":\#(made)}"#.utf8)
      )
    }
  }

  @Test
  func `R37: the age is never below the truth, and a second above it at most`() async throws {
    let url = try #require(URL(string: "http://dated.example/"))
    let resource = JSONResource(url, as: Measured.self).made { measured in
      Date(timeIntervalSince1970: measured.made)
    }
    var policy = Policy(every: .milliseconds(130))
    policy.jitter = .none
    policy.leastInterval = .milliseconds(100)
    let client = FreshnessClient(exchange: DatedExchange(), policy: policy)
    var values = client.values(of: resource).makeAsyncIterator()
    var answers: Set<Double> = []
    while answers.count < 12 {
      let made = try #require(await values.next()).value.made
      // The truth first: the age, which is read after it, can only be greater.
      let truth = (Date.now.timeIntervalSince1970 - made) * 1_000
      let age = try #require(client.freshness(of: resource)?.label.age?.milliseconds)
      let after = (Date.now.timeIntervalSince1970 - made) * 1_000
      // The age is that of a later answer if one has come in between.
      guard client.value(of: resource)?.made == made else { continue }
      // Clocks in whole milliseconds are off by a few.
      #expect(Double(age) >= truth - 5)
      #expect(Double(age) <= after + 999 + 5 + Self.mostDelay)
      answers.insert(made)
    }
  }

  // MARK: Caches with a Date of their own

  /// A document of 08:00:00.500, served a moment later, in an exchange that takes no time.
  private func age(served: String, date: Int, cacheAge: Int? = nil) async throws -> Duration {
    let figure = cacheAge.map { ",\"rtCacheAgeMs\":\($0)" } ?? ""
    let body = """
      {"made":1,"meta":{"serverTime":"2027-01-15T08:00:\(served)Z",\
      "rtFetchedAt":"2027-01-15T08:00:00.500Z"\(figure)}}
      """
    let seconds = date < 10 ? "0\(date)" : "\(date)"
    let fields: HTTPFields = [.date: "Fri, 15 Jan 2027 08:00:\(seconds) GMT"]
    let stand = Stand(exchange: ScriptedExchange([.json(body, fields)]))
    let resource = JSONResource(notesURL("/dated"), as: Measured.self)
    var values = stand.client.values(of: resource).makeAsyncIterator()
    let value = try #require(await values.next())
    return value.age
  }

  @Test
  func `R37: a cache adds the end of one second, not of two, and shows under a second as well`()
    async throws
  {
    // Date means the end of its second; what the server's own time leaves out is before that.
    #expect(try await age(served: "01", date: 21) == .milliseconds(20_500 + 999))
    #expect(try await age(served: "01.100", date: 21) == .milliseconds(20_500 + 999))
    #expect(try await age(served: "01.100", date: 21, cacheAge: 600) == .milliseconds(21_499))
    // 0.9 s between the two, in an exchange without a delay.
    #expect(try await age(served: "01.100", date: 2) == .milliseconds(1_500 + 999))
    // It may be the same second.
    #expect(try await age(served: "01", date: 1) == .milliseconds(500 + 999))
    #expect(try await age(served: "01.100", date: 1) == .milliseconds(600))
  }

  // MARK: Decoding

  /// A clock that the code under test moves.
  private final class JumpingClock: Clock {
    private let time = Mutex(Duration.zero)
    var now: ManualClock.Instant { ManualClock.Instant(offset: time.withLock { $0 }) }
    var minimumResolution: Duration { .zero }
    func jump(_ span: Duration) { time.withLock { $0 += span } }
    /// Nothing is due in these tests.
    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
      try await Task.sleep(for: .seconds(3_600))
    }
  }

  /// A resource that takes its time to read a response or an event.
  private struct Slow: FreshResource {
    let clock: JumpingClock
    static func == (left: Self, right: Self) -> Bool { left.clock === right.clock }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(clock)) }

    func request(since known: String?) -> HTTPRequest {
      HTTPRequest(method: .get, scheme: "http", authority: "notes.example", path: "/slow")
    }

    func read(
      _ answer: HTTPExchangeAnswer,
      since known: String?
    ) throws(UnreadableAnswer) -> Reading<String> {
      clock.jump(.milliseconds(700))
      return Reading(String(decoding: answer.body, as: UTF8.self))
    }

    func eventStream() -> HTTPRequest? {
      HTTPRequest(method: .get, scheme: "http", authority: "notes.example", path: "/news")
    }

    var replaysEvents: Bool { true }

    func read(_ event: ServerSentEvent, since known: String?) -> StreamEvent<String> {
      clock.jump(.milliseconds(400))
      return .delivered(Reading(event.data))
    }
  }

  @Test
  func `R37: the time in which a response or an event is read is part of the age`() async throws {
    let clock = JumpingClock()
    let exchange = ScriptedExchange([.note("first")])
    let streams = ScriptedStreaming()
    var policy = Policy.steady
    policy.push = Policy.Push()
    let client = FreshnessClient(
      exchange: exchange,
      streaming: streams,
      policy: policy,
      clock: HostClock(clock, wall: { WallTime(milliseconds: 1_800_000_000_000) })
    )
    let resource = Slow(clock: clock)
    var snapshots = client.snapshots(of: resource).makeAsyncIterator()
    while await snapshots.next()?.value == nil {}
    #expect(client.freshness(of: resource)?.label.age == .milliseconds(700))
    let stream = try #require(await streams.next())
    await stream.head()
    await stream.write("data: third\n\n")
    while await snapshots.next()?.value != "third" {}
    // The way of an event is that of the last response, without the time in which that was read.
    #expect(client.freshness(of: resource)?.label.age == .milliseconds(400))
  }

  /// The delay of a response on a busy machine, in milliseconds.
  private static let mostDelay = 10_000.0
}
