import ConditionalHTTP
import EventFeed
import Freshness
import FreshnessRuntime
import FreshnessTesting
import HTTPTypes
import Synchronization
import Testing

/// Calls the client wherever application code runs, and records where.
private final class Nosy: Sendable {
  private let client = Mutex<FreshnessClient?>(nil)
  private let asked = Mutex<Set<String>>([])

  var places: Set<String> { asked.withLock { $0 } }

  func meet(_ client: FreshnessClient?) { self.client.withLock { $0 = client } }

  func ask(from place: String) {
    guard let client = client.withLock({ $0 }) else { return }
    let note = NosyNote(nosy: self)
    _ = client.value(of: note)
    _ = client.freshness(of: note)
    _ = client.samples(of: note)
    client.activity(.quiet, of: note)
    asked.withLock { _ = $0.insert(place) }
  }
}

/// A value that calls the client when it is compared and when it is released.
private final class NosyValue: Equatable, Sendable {
  let text: String
  let nosy: Nosy

  init(_ text: String, _ nosy: Nosy) {
    self.text = text
    self.nosy = nosy
  }

  deinit { nosy.ask(from: "deinit") }

  static func == (left: NosyValue, right: NosyValue) -> Bool {
    left.nosy.ask(from: "==")
    return left.text == right.text
  }
}

/// A resource that calls the client in each of its methods.
private struct NosyNote: FreshResource {
  let nosy: Nosy

  static func == (_: NosyNote, _: NosyNote) -> Bool { true }

  func hash(into hasher: inout Hasher) { hasher.combine("nosy") }

  var policy: Policy? {
    nosy.ask(from: "policy")
    return nil
  }

  var subject: String? {
    nosy.ask(from: "subject")
    return nil
  }

  var replaysEvents: Bool {
    nosy.ask(from: "replaysEvents")
    return true
  }

  func request(since known: NosyValue?) -> HTTPRequest {
    nosy.ask(from: "request")
    return HTTPRequest(method: .get, scheme: "http", authority: "notes.example", path: "/nosy")
  }

  func eventStream() -> HTTPRequest? {
    nosy.ask(from: "eventStream")
    return HTTPRequest(method: .get, scheme: "http", authority: "notes.example", path: "/news")
  }

  func read(
    _ answer: HTTPExchangeAnswer,
    since known: NosyValue?
  ) throws(UnreadableAnswer) -> Reading<NosyValue> {
    nosy.ask(from: "answer")
    return Reading(NosyValue(String(decoding: answer.body, as: UTF8.self), nosy))
  }

  func read(_ event: ServerSentEvent, since known: NosyValue?) -> StreamEvent<NosyValue> {
    nosy.ask(from: "event")
    return .delivered(Reading(NosyValue(event.data, nosy)))
  }
}

/// Calling the library from code that runs under its lock ends the process.
@Suite("FreshnessClient: no code of the application's own runs under a lock")
struct ReentrancyTests {
  @Test func `a resource, its values and the recorder may ask the client`() async throws {
    let nosy = Nosy()
    let clock = ManualClock()
    let streams = ScriptedStreaming()
    let exchange = ScriptedExchange(replying: { .note("\($0.number)", tag: "\"\($0.number)\"") })
    let recorded = Mutex<[Int64]>([])
    let client = FreshnessClient(
      exchange: exchange,
      streaming: streams,
      policy: Policy.steady.with { $0.push = Policy.Push() },
      clock: HostClock(clock),
      random: RandomSource(),
      limits: ClientLimits(idleResources: 0),
      recorder: { record in
        nosy.ask(from: "recorder")
        recorded.withLock { $0.append(record.sample.startedAt.milliseconds) }
      }
    )
    nosy.meet(client)
    let note = NosyNote(nosy: nosy)
    do {
      var snapshots = client.snapshots(of: note).makeAsyncIterator()
      while await snapshots.next()?.value?.text != "1" {}
      let stream = try #require(await streams.next())
      await stream.head()
      await stream.write("id: e-1\ndata: event\n\n")
      while await snapshots.next()?.value?.text != "event" {}
      client.write(NosyValue("mine", nosy), to: note)
      while await snapshots.next()?.value?.text != "mine" {}
      client.refresh(note)
      try await exchange.waitForRequests(atLeast: 2)
      while await snapshots.next()?.value?.text == "mine" {}
      stream.close()
      #expect(await eventually { client.freshness(of: note)?.isStreaming != true })
      // The next stream resumes where this one was.
      try await clock.waitForSleepers(atLeast: 1)
      await clock.advance(by: .seconds(5))
      #expect(await streams.next() != nil)
    }
    client.prefetch(note)
    #expect(
      await eventually { nosy.places.isSuperset(of: Self.places) },
      "\(Self.places.subtracting(nosy.places))"
    )
    // The recorder received the samples in order.
    let instants = recorded.withLock { $0 }
    #expect(instants == instants.sorted())
    nosy.meet(nil)
  }

  private static let places: Set<String> = [
    "==", "deinit", "policy", "subject", "replaysEvents", "request", "eventStream", "answer",
    "event",
    "recorder",
  ]

  @Test func `values that are compared while another one comes are compared again`() async throws {
    let exchange = ScriptedExchange(replying: { .note("\($0.number % 2)") })
    let stand = Stand(exchange: exchange)
    let note = Note("/a")
    var snapshots = stand.client.snapshots(of: note).makeAsyncIterator()
    while await snapshots.next()?.value == nil {}
    // Concurrent writes of many tasks: each is applied or superseded.
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask { stand.client.write("w\(number % 3)", to: note) }
      }
    }
    #expect(stand.client.value(of: note)?.hasPrefix("w") == true)
  }
}
