import ConditionalHTTP
import Foundation
import Freshness
import FreshnessRuntime
import FreshnessServer
import HTTPTypes
import Hummingbird
import Synchronization
import Testing

/// R39 end to end: the Swift client, a real server, and long polls that it really holds.
@Suite(.serialized, .timeLimit(.minutes(2))) struct `Held requests of one client` {
  /// The rooms of a server, with their number in the path.
  private struct Room: FreshResource {
    var number: Int
    var authority: String

    func request(since known: Climate?) -> HTTPRequest {
      HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/rooms/\(number)")
    }

    func read(
      _ answer: HTTPExchangeAnswer,
      since known: Climate?
    ) throws(UnreadableAnswer) -> Reading<Climate> {
      do {
        return Reading(try JSONDecoder().decode(Climate.self, from: Data(answer.body)))
      } catch {
        throw UnreadableAnswer("\(error)")
      }
    }
  }

  /// Counts the requests for each path.
  private final class CountedExchange: HTTPExchange {
    private let exchange: any HTTPExchange
    private let counts = Mutex<[String: Int]>([:])

    init(_ exchange: any HTTPExchange) { self.exchange = exchange }

    func count(of path: String) -> Int { counts.withLock { $0[path, default: 0] } }

    func send(
      _ request: HTTPRequest,
      timeout: Duration
    ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
      counts.withLock { $0[request.path ?? "", default: 0] += 1 }
      return try await exchange.send(request, timeout: timeout)
    }
  }

  /// Waits until a condition holds; the time limit of the suite ends the wait.
  private func until(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(5)) }
  }

  @Test func `leave places: a seventh resource has its first copy while others are held`()
    async throws
  {
    let rooms = try (1...7).map { try ServedValue(Climate(celsius: $0), epoch: "e") }
    let serving = ResourceServing()
    let router = Stage.router { router in
      for (index, room) in rooms.enumerated() {
        router.serve(room, at: "rooms/\(index + 1)", with: serving)
      }
    }
    try await Stage.run(router) { stage in
      var policy = Policy(every: .milliseconds(200))
      policy.longPoll = .seconds(60)
      policy.jitter = .none
      policy.unchangedLimit = nil
      policy.unchangedFor = nil
      let counted = CountedExchange(stage.exchange)
      let client = FreshnessClient(exchange: counted, policy: policy)
      let resources = (1...7).map { Room(number: $0, authority: stage.authority) }
      func watch(_ resource: Room) -> Task<Void, Never> {
        Task {
          var snapshots = client.snapshots(of: resource).makeAsyncIterator()
          while await snapshots.next() != nil {}
        }
      }
      var tasks = resources.prefix(6).map(watch)
      // Those that are not held are polled again and again.
      try await until {
        serving.waiters == 3
          && resources.prefix(6).filter { counted.count(of: "/rooms/\($0.number)") >= 4 }.count == 3
      }
      tasks.append(watch(resources[6]))
      try await until { client.value(of: resources[6]) != nil }
      #expect(serving.waiters == 3)
      // A refresh by the user replaces the long poll of its resource.
      let held = try #require(
        resources.prefix(6).first { counted.count(of: "/rooms/\($0.number)") == 2 }
      )
      client.refresh(held)
      try await until { counted.count(of: "/rooms/\(held.number)") >= 3 }
      // Every change arrives, held or not.
      for (index, room) in rooms.enumerated() { try room.publish(Climate(celsius: 100 + index)) }
      try await until {
        resources.allSatisfy { client.value(of: $0)?.celsius == 99 + $0.number }
      }
      try await until { serving.waiters == 3 }
      for task in tasks { task.cancel() }
      try await until { client.counters.observers == 0 }
    }
  }
}
