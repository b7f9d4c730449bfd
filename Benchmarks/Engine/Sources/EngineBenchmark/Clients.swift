import ConditionalHTTP
import Freshness
import FreshnessRuntime
import HTTPTypes
import Synchronization

/// A resource of the benchmark.
struct Page: FreshResource {
  let number: Int

  func request(since known: Int?) -> HTTPRequest {
    HTTPRequest(method: .get, scheme: "http", authority: "bench.example", path: "/")
  }

  func read(
    _ answer: HTTPExchangeAnswer,
    since known: Int?
  ) throws(UnreadableAnswer) -> Reading<Int> {
    Reading(answer.body.count)
  }
}

/// A server inside the process: a body for the first question, then "not modified".
final class Origin: HTTPExchange {
  private let count = Atomic<Int>(0)
  /// The answers given.
  var answers: Int { count.load(ordering: .relaxed) }

  func send(
    _ request: HTTPRequest,
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    count.add(1, ordering: .relaxed)
    let isKnown = request.headerFields[.ifNoneMatch] != nil
    let head = HTTPResponse(
      status: isKnown ? .notModified : .ok,
      headerFields: [.eTag: "\"1\""]
    )
    return HTTPExchangeAnswer(head: head, body: isKnown ? [] : [1, 2, 3])
  }
}

/// The cost of keeping many resources fresh.
struct Upkeep {
  /// Bytes per resource with one observer.
  var bytesPerResource: Double
  /// Bytes per further observer.
  var bytesPerObserver: Double
  /// Microseconds of processor time a poll, the answer of the server included.
  var microsecondsPerPoll: Double
  /// The polls that were counted.
  var polls: Int
}

/// The engine.
enum Clients {
  /// Watches many resources, one observer each, for some seconds; then many observers of one.
  static func run(resources: Int, seconds: Int, interval: Instant.Duration) async throws -> Upkeep {
    let origin = Origin()
    var policy = Policy(every: interval, jitter: .share(10))
    policy.ringCapacity = 0
    policy.unchangedLimit = nil
    let client = FreshnessClient(exchange: origin, policy: policy)
    var tasks: [Task<Void, Never>] = []
    let making = await Meter.cost {
      for number in 0..<resources {
        tasks.append(Task { for await _ in client.snapshots(of: Page(number: number)) {} })
      }
      while origin.answers < resources { try? await Task.sleep(for: .milliseconds(20)) }
      while client.counters.requests > 0 { try? await Task.sleep(for: .milliseconds(100)) }
    }
    let before = origin.answers
    let polling = try await Meter.cost { try await Task.sleep(for: .seconds(seconds)) }
    let polls = origin.answers - before
    let watchers = 10_000
    let watching = await Meter.cost {
      for _ in 0..<watchers {
        tasks.append(Task { for await _ in client.snapshots(of: Page(number: 0)) {} })
      }
      while client.counters.observers < resources + watchers {
        try? await Task.sleep(for: .milliseconds(20))
      }
    }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    precondition(client.counters.observers == 0, "an observer was left behind")
    return Upkeep(
      bytesPerResource: making.bytes / Double(resources),
      bytesPerObserver: watching.bytes / Double(watchers),
      microsecondsPerPoll: polling.processorSeconds / Double(max(polls, 1)) * 1e6,
      polls: polls
    )
  }
}
