import ConditionalHTTP
import HTTPTypes

/// The usual way, to compare with: for each resource an actor, and a task that sleeps and polls; for
/// each observer a stream.
///
/// It has no jitter, no backoff, no labels and no diagnostics.
actor Poller {
  private let exchange: any HTTPExchange
  private var entityTag: String?
  private var value = 0
  private var observers: [Int: AsyncStream<Int>.Continuation] = [:]
  private var names = 0

  init(_ exchange: any HTTPExchange) { self.exchange = exchange }

  func poll() async {
    var request = HTTPRequest(method: .get, scheme: "http", authority: "bench.example", path: "/")
    request.headerFields[.ifNoneMatch] = entityTag
    request.headerFields[.cacheControl] = "no-cache"
    guard let answer = try? await exchange.send(request, timeout: .seconds(10)),
      answer.head.status == .ok
    else { return }
    entityTag = answer.head.headerFields[.eTag]
    value = answer.body.count
    for observer in observers.values { observer.yield(value) }
  }

  func observe() -> AsyncStream<Int> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Int.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    names += 1
    observers[names] = continuation
    return stream
  }

  var observerCount: Int { observers.count }
}

/// The usual way, measured like ``Clients``.
enum Pollers {
  static func run(resources: Int, seconds: Int, interval: Duration) async throws -> Upkeep {
    let origin = Origin()
    var pollers: [Poller] = []
    var tasks: [Task<Void, Never>] = []
    let making = await Meter.cost {
      for _ in 0..<resources {
        let poller = Poller(origin)
        pollers.append(poller)
        tasks.append(
          Task {
            while !Task.isCancelled {
              await poller.poll()
              let wait = interval * Double.random(in: 0.9...1.1)
              try? await Task.sleep(for: wait)
            }
          }
        )
        tasks.append(Task { for await _ in await poller.observe() {} })
      }
      while origin.answers < resources { try? await Task.sleep(for: .milliseconds(20)) }
    }
    let before = origin.answers
    let polling = try await Meter.cost { try await Task.sleep(for: .seconds(seconds)) }
    let polls = origin.answers - before
    let watchers = 10_000
    let first = pollers[0]
    let watching = await Meter.cost {
      for _ in 0..<watchers { tasks.append(Task { for await _ in await first.observe() {} }) }
      while await first.observerCount < watchers {
        try? await Task.sleep(for: .milliseconds(20))
      }
    }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    return Upkeep(
      bytesPerResource: making.bytes / Double(resources),
      bytesPerObserver: watching.bytes / Double(watchers),
      microsecondsPerPoll: polling.processorSeconds / Double(max(polls, 1)) * 1e6,
      polls: polls
    )
  }
}
