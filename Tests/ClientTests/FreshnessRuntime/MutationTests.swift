import ConditionalHTTP
import Foundation
import Freshness
import FreshnessRuntime
import FreshnessTesting
import HTTPTypes
import Testing

@Suite("FreshnessClient: mutations and tags")
struct MutationTests {
  struct Refused: Error, Equatable {}

  /// A hand-operated end of a mutation.
  final class Server: Sendable {
    private let answers: AsyncStream<Bool>
    private let answer: AsyncStream<Bool>.Continuation

    init() { (answers, answer) = AsyncStream.makeStream() }

    func answer(_ isAccepted: Bool) { answer.yield(isAccepted) }

    func send() async throws(Refused) {
      for await isAccepted in answers {
        if isAccepted { return }
        throw Refused()
      }
    }
  }

  static let list = JSONResource(notesURL("/list"), as: [Int].self)

  static func observed(
    _ replies: [ScriptedExchange.Reply]
  ) async throws -> (Stand, LiveValues<JSONResource<[Int]>>.Iterator) {
    let stand = Stand(exchange: ScriptedExchange([.json("[1]", tag: "\"v1\"")] + replies))
    var values = stand.client.values(of: list).makeAsyncIterator()
    #expect(await values.next()?.value == [1])
    return (stand, values)
  }

  /// Changes the list, and waits for the end that the server decides.
  static func mutate(
    _ stand: Stand,
    at server: Server,
    _ change: @escaping @Sendable (inout [Int]) -> Void
  ) -> Task<Void, any Error> {
    Task { [client = stand.client] in
      try await client.mutate(list, change) { try await server.send() }
    }
  }

  @Test
  func `R38: the expected result shows at once, as unconfirmed, until the server confirms it`()
    async throws
  {
    var (stand, values) = try await Self.observed([.held])
    try await stand.pass(.seconds(3))
    let server = Server()
    let mutation = Self.mutate(stand, at: server) { $0.append(2) }
    let expected = try #require(await values.next())
    #expect(expected.value == [1, 2])
    #expect(expected.provenance == .local && expected.state == .unconfirmed)
    // The change makes nothing younger.
    #expect(expected.age == .seconds(3))
    #expect(stand.client.value(of: Self.list) == [1, 2])
    #expect(stand.client.freshness(of: Self.list)?.label.provenance == .local)
    server.answer(true)
    try await mutation.value
    try await stand.exchange.waitForRequests(atLeast: 2)
    #expect(stand.client.value(of: Self.list) == [1, 2])
    #expect(expected.state == .unconfirmed)
    stand.exchange.finish(2, with: .json("[1,2]", tag: "\"v2\""))
    let confirmed = try #require(await values.next())
    #expect(confirmed.value == [1, 2])
    #expect(confirmed.provenance == .server && confirmed.state == .live)
    #expect(confirmed.age < .seconds(3))
  }

  @Test
  func `a refusal takes the change back: the server's copy has the age that it has`() async throws {
    var (stand, values) = try await Self.observed([.held])
    try await stand.pass(.seconds(4))
    let server = Server()
    let mutation = Self.mutate(stand, at: server) { $0 = [] }
    #expect(await values.next()?.value == [])
    server.answer(false)
    await #expect(throws: Refused()) { try await mutation.value }
    let back = try #require(await values.next())
    #expect(back.value == [1] && back.provenance == .server && back.age == .seconds(4))
    #expect(back.state == .live)
    // The copy keeps its validator: nothing was overwritten.
    stand.client.refresh(Self.list)
    try await stand.exchange.waitForRequests(atLeast: 2)
    #expect(stand.exchange.sent[1].request.headerFields[.ifNoneMatch] == "\"v1\"")
  }

  @Test
  func `a response in between stays underneath, and is what is left after a refusal`() async throws
  {
    var (stand, values) = try await Self.observed([.json("[1,5]"), .json("[1,5]")])
    let server = Server()
    let mutation = Self.mutate(stand, at: server) { $0.append(2) }
    #expect(await values.next()?.value == [1, 2])
    try await stand.pass(.seconds(10))
    let both = try #require(await values.next())
    #expect(both.value == [1, 5, 2] && both.state == .unconfirmed)
    server.answer(false)
    await #expect(throws: Refused()) { try await mutation.value }
    let back = try #require(await values.next())
    // As it was delivered: the answer to the request after the refusal may have replaced it already.
    #expect(back.value == [1, 5] && back.provenance == .server && back.label.badge == .live)
    // It may have been carried out.
    try await stand.exchange.waitForRequests(atLeast: 3)
  }

  @Test
  func `R36: an answer of an older edge confirms nothing`() async throws {
    let madeAt = try #require(HTTPField.Name("x-md-rt-fetched-at"))
    func edge(_ list: String, madeAt second: Int) -> ScriptedExchange.Reply {
      .json(list, tag: nil, [madeAt: "2026-01-01T00:0\(second / 60):\(second % 60 / 10)0Z"])
    }
    let stand = Stand(
      exchange: ScriptedExchange([
        edge("[1]", madeAt: 100), edge("[1]", madeAt: 60), edge("[1,2]", madeAt: 110),
      ])
    )
    var values = stand.client.values(of: Self.list).makeAsyncIterator()
    #expect(await values.next()?.value == [1])
    try await stand.client.mutate(Self.list) {
      $0.append(2)
    } sending: { () async throws(Refused) in
    }
    let expected = try #require(await values.next())
    #expect(expected.value == [1, 2] && expected.state == .unconfirmed)
    try await stand.exchange.waitForRequests(atLeast: 2)
    try await stand.pass(.seconds(1))
    #expect(stand.client.value(of: Self.list) == [1, 2])
    #expect(stand.client.freshness(of: Self.list)?.label.provenance == .local)
    try await stand.pass(.seconds(10))
    try await stand.exchange.waitForRequests(atLeast: 3)
    let isConfirmed = await eventually {
      stand.client.freshness(of: Self.list)?.label.provenance == .server
    }
    #expect(isConfirmed)
    #expect(stand.client.value(of: Self.list) == [1, 2])
  }

  @Test
  func `of two mutations that overlap each is taken back by itself`() async throws {
    var (stand, values) = try await Self.observed([.held, .json("[1,3]")])
    let (one, two) = (Server(), Server())
    let first = Self.mutate(stand, at: one) { $0.append(2) }
    #expect(await values.next()?.value == [1, 2])
    let second = Self.mutate(stand, at: two) { $0.append(3) }
    #expect(await values.next()?.value == [1, 2, 3])
    one.answer(false)
    await #expect(throws: Refused()) { try await first.value }
    let left = try #require(await values.next())
    #expect(left.value == [1, 3] && left.provenance == .local)
    two.answer(true)
    try await second.value
    try await stand.exchange.waitForRequests(atLeast: 2)
    // Requested after the first mutation failed, and before the second one was accepted.
    stand.exchange.finish(2, with: .json("[1]"))
    try await stand.exchange.waitForRequests(atLeast: 3)
    let isConfirmed = await eventually {
      stand.client.freshness(of: Self.list)?.label.provenance == .server
    }
    #expect(isConfirmed && stand.client.value(of: Self.list) == [1, 3])
  }

  @Test
  func `a response to a request from before the change confirms nothing`() async throws {
    var (stand, values) = try await Self.observed([.held, .held])
    stand.client.refresh(Self.list, .change)
    try await stand.exchange.waitForRequests(atLeast: 2)
    try await stand.client.mutate(Self.list) {
      $0.append(2)
    } sending: { () async throws in
    }
    #expect(await values.next()?.value == [1, 2])
    // It was answered before the server knew of the change.
    stand.exchange.finish(2, with: .json("[1]"))
    try await stand.exchange.waitForRequests(atLeast: 3)
    #expect(stand.client.value(of: Self.list) == [1, 2])
    #expect(stand.client.freshness(of: Self.list)?.label.provenance == .local)
    stand.exchange.finish(3, with: .json("[1,2]"))
    #expect(await eventually { stand.client.freshness(of: Self.list)?.label.provenance == .server })
    #expect(stand.client.value(of: Self.list) == [1, 2])
  }

  @Test
  func `R19: another identity removes pending changes`() async throws {
    let (stand, values) = try await Self.observed([.held])
    let server = Server()
    let mutation = Self.mutate(stand, at: server) { $0.append(2) }
    #expect(await eventually { stand.client.value(of: Self.list) == [1, 2] })
    stand.client.identify(by: [.authorization: "Bearer other"])
    try await stand.exchange.waitForRequests(atLeast: 2)
    stand.exchange.finish(2, with: .json("[9]"))
    #expect(await eventually { stand.client.value(of: Self.list) == [9] })
    #expect(stand.client.freshness(of: Self.list)?.label.provenance == .server)
    server.answer(true)
    try await mutation.value
    withExtendedLifetime(values) {}
  }

  @Test
  func `beyond the limit the oldest expected result is not shown, and its end changes nothing`()
    async throws
  {
    let (stand, values) = try await Self.observed([.held])
    let server = Server()
    let oldest = Self.mutate(stand, at: server) { $0.append(0) }
    #expect(await eventually { stand.client.value(of: Self.list) == [1, 0] })
    stand.client.connectivity(.offline)
    for number in 2..<258 {
      await stand.client.mutate(Self.list) {
        $0.append(number)
      } sending: {
      }
    }
    #expect(stand.client.value(of: Self.list) == [1] + Array(2..<258))
    server.answer(false)
    await #expect(throws: Refused()) { try await oldest.value }
    #expect(stand.client.value(of: Self.list)?.count == 257)
    withExtendedLifetime(values) {}
  }

  @Test
  func `a mutation of a resource that was never observed only sends`() async throws {
    let stand = Stand()
    let answer = await stand.client.mutate(Self.list) {
      $0 = []
    } sending: {
      7
    }
    #expect(answer == 7 && stand.exchange.sent.isEmpty)
  }

  @Test
  func `a change may call the client: it runs outside every lock`() async throws {
    let (stand, values) = try await Self.observed([.held])
    let server = Server()
    let mutation = Self.mutate(stand, at: server) { [client = stand.client] in
      $0.append(client.counters.observed)
    }
    #expect(await eventually { stand.client.value(of: Self.list) == [1, 1] })
    server.answer(false)
    await #expect(throws: Refused()) { try await mutation.value }
    withExtendedLifetime(values) {}
  }

  @Test
  func `invalidation by tag refreshes what is observed and has the tag, once each`() async throws {
    let stand = Stand(exchange: ScriptedExchange(replying: { _ in .json("[1]") }))
    func note(_ path: String, _ tags: Set<String>) throws -> JSONResource<[Int]> {
      let url = try #require(URL(string: "http://notes.example/\(path)"))
      return JSONResource(url, tags: tags)
    }
    let (a, b, c) = (try note("a", ["x", "y"]), try note("b", ["x"]), try note("c", ["z"]))
    var iterators = [a, b, c].map { stand.client.values(of: $0).makeAsyncIterator() }
    for index in iterators.indices { _ = await iterators[index].next() }
    // A resource without observers is requested once it has one again.
    stand.client.prefetch(try note("d", ["x"]))
    try await stand.exchange.waitForRequests(atLeast: 4)
    #expect(await eventually { stand.client.counters.requests == 0 })
    stand.client.invalidate(tag: "x")
    try await stand.exchange.waitForRequests(atLeast: 6)
    #expect(await eventually { stand.client.counters.requests == 0 })
    #expect(stand.exchange.sent.dropFirst(4).compactMap(\.request.path).sorted() == ["/a", "/b"])
    try await stand.client.mutate(a, invalidating: ["z"]) { _ in
    } sending: { () async throws in
    }
    try await stand.exchange.waitForRequests(atLeast: 8)
    #expect(stand.exchange.sent.dropFirst(6).compactMap(\.request.path).sorted() == ["/a", "/c"])
  }
}
