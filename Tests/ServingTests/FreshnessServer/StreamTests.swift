import ConditionalHTTP
import CoreMetrics
import EventFeed
import FreshResponses
import MetricsTestKit
import Serving
import Testing

@testable import FreshnessServer

private func state(
  _ number: Int64,
  epoch: String = "e",
  source: Int64? = nil
)
  -> RepresentationState
{
  RepresentationState(version: EventNumber(number, epoch: epoch), sourceTime: source)
}

@Suite struct `Positions in a stream` {
  @Test func `a new client gets a snapshot, then the differences, then heartbeats`() {
    var cursor = StreamCursor(hasChanges: true)
    #expect(cursor.next(.change, newest: state(3)) == .snapshot(afterReset: false))
    cursor.sent(state(3))
    #expect(cursor.next(.change, newest: state(3)) == .none)
    #expect(cursor.next(.beat, newest: state(3)) == .heartbeat)
    // A slow client reads on when there are three changes.
    #expect(
      cursor.next(.beat, newest: state(6)) == .changes(since: "e-3")
    )
    cursor.sent(state(6))
    #expect(cursor.next(.change, newest: state(6)) == .none)
  }

  @Test func `a client that comes back continues where it was`() {
    let cursor = StreamCursor(lastEventID: "e-3", hasChanges: true)
    #expect(cursor.next(.change, newest: state(3)) == .none)
    #expect(
      cursor.next(.change, newest: state(5)) == .changes(since: "e-3")
    )
    #expect(cursor.giveUpPosition() == .snapshot(afterReset: true))
  }

  @Test func `a newer publication of the same content is told once`() {
    func state(_ tag: String, _ publication: UInt64) -> RepresentationState {
      var state = RepresentationState(entityTag: EntityTag(tag))
      state.publication = publication
      return state
    }
    var cursor = StreamCursor(lastEventID: "\"a\"", hasChanges: true, verifies: true)
    // What the client has may be of any publication.
    #expect(cursor.next(.change, newest: state("a", 1)) == .verification)
    cursor.sent(state("a", 1))
    #expect(cursor.next(.change, newest: state("a", 1)) == .none)
    #expect(cursor.next(.beat, newest: state("a", 1)) == .heartbeat)
    #expect(cursor.next(.beat, newest: state("a", 2)) == .verification)
    cursor.sent(state("a", 2))
    // Without numbers, the resource is asked for the difference to any position.
    #expect(cursor.next(.change, newest: state("b", 3)) == .changes(since: "\"a\""))
    #expect(cursor.giveUpPosition() == .snapshot(afterReset: true))
  }

  @Test(arguments: ["other-3", "nothing", "e-03", "3"])
  func `an unknown position is reset`(_ id: String) {
    let cursor = StreamCursor(lastEventID: id, hasChanges: true)
    #expect(cursor.next(.change, newest: state(3)) == .snapshot(afterReset: true))
    // A snapshot replaces everything: whole values need no reset.
    let whole = StreamCursor(lastEventID: id, hasChanges: false)
    #expect(whole.next(.change, newest: state(3)) == .snapshot(afterReset: false))
  }

  @Test(arguments: [true, false])
  func `a replica that is behind sends nothing earlier`(hasChanges: Bool) {
    let cursor = StreamCursor(lastEventID: "e-5", hasChanges: hasChanges)
    #expect(cursor.next(.change, newest: state(4)) == .none)
    #expect(cursor.next(.beat, newest: state(4)) == .heartbeat)
    #expect(cursor.next(.change, newest: state(6)) != .none)
  }

  @Test func `without replicas a position that is ahead is unknown`() {
    let cursor = StreamCursor(lastEventID: "e-5", hasChanges: true, hasReplicas: false)
    #expect(cursor.next(.beat, newest: state(4)) == .snapshot(afterReset: true))
  }

  @Test(arguments: [true, false])
  func `a stream ends when its client has the final state`(hasChanges: Bool) {
    var end = state(6)
    end.isFinal = true
    var cursor = StreamCursor(lastEventID: "e-3", hasChanges: hasChanges)
    let action = cursor.next(.beat, newest: end)
    #expect(action == (hasChanges ? .changes(since: "e-3") : .snapshot(afterReset: false)))
    // A part of the changes is not the end.
    cursor.sent(state(5))
    #expect(!cursor.hasEnded)
    #expect(cursor.next(.change, newest: end) != .end)
    cursor.sent(end)
    #expect(cursor.hasEnded)
    #expect(cursor.next(.beat, newest: end) == .end)
    let known = StreamCursor(lastEventID: "e-6", hasChanges: hasChanges)
    #expect(!known.hasEnded)
    #expect(known.next(.change, newest: end) == .end)
  }

  @Test func `a client that has the final state is told so first where that is told`() {
    var end = state(6)
    (end.isFinal, end.publication) = (true, 1)
    var cursor = StreamCursor(lastEventID: "e-6", hasChanges: true, verifies: true)
    #expect(cursor.next(.change, newest: end) == .verification)
    cursor.sent(end)
    #expect(cursor.next(.change, newest: end) == .end)
  }

  @Test func `whole values are sent again when they are younger`() {
    var cursor = StreamCursor(hasChanges: false)
    cursor.sent(state(3, source: 1_000))
    #expect(cursor.next(.change, newest: state(3, source: 1_000)) == .none)
    #expect(
      cursor.next(.change, newest: state(3, source: 2_000)) == .snapshot(afterReset: false)
    )
  }
}

@Suite struct `The log of changes` {
  @Test func `numbers have no gap, and the oldest changes are dropped`() {
    var log = ChangeLog<Int>(epoch: "e", most: 5)
    #expect(log.changes(since: EventNumber(0, epoch: "e"))?.isEmpty == true)
    for value in 1...50 {
      #expect(log.append(value) == EventNumber(Int64(value), epoch: "e"))
      for since in 0...value {
        let found = log.changes(since: EventNumber(Int64(since), epoch: "e"))
        let expected = value - since <= 5 ? Array(since..<value).map { $0 + 1 } : nil
        #expect(found.map(Array.init) == expected)
      }
    }
    #expect(log.changes(since: EventNumber(51, epoch: "e")) == nil)
    #expect(log.changes(since: EventNumber(50, epoch: "f")) == nil)
  }

  /// Whatever a slow client reads and misses, what it was sent makes the newest state.
  @Test func `differences compose to the whole`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      var log = ChangeLog<(key: Int, value: Int)>(epoch: "e", most: 8)
      var whole: [Int: Int] = [:]
      var copy: [Int: Int] = [:]
      var cursor = StreamCursor(hasChanges: true)
      for step in 0..<60 {
        let change = (key: Int.random(in: 0..<6, using: &random), value: step)
        whole[change.key] = change.value
        log.append(change)
        // The client is ready to read now and then only.
        guard Int.random(in: 0..<5, using: &random) == 0 else { continue }
        let newest = RepresentationState(version: log.newest)
        var action = cursor.next(.change, newest: newest)
        if case .changes(let since) = action {
          if let changes = EventNumber(id: since).flatMap({ log.changes(since: $0) }) {
            for each in changes { copy[each.key] = each.value }
          } else {
            action = cursor.giveUpPosition()
            #expect(action == .snapshot(afterReset: true))
          }
        }
        if case .snapshot = action { copy = whole }
        cursor.sent(newest)
        #expect(copy == whole)
      }
    }
  }
}

@Suite struct `Histograms` {
  @Test func `a duration is counted in the first range that it fits`() {
    var histogram = Histogram()
    for seconds in [-1, 0, 0.001, 0.0011, 300, 301] { histogram.record(seconds) }
    #expect(histogram.counts.first == 3)
    #expect(histogram.counts[1] == 1)
    #expect(histogram.counts.suffix(2) == [1, 1])
    #expect(histogram.count == 6)
    #expect(abs(histogram.sum - 601.0021) < 1e-9)
  }
}

@Suite struct `Metrics of routes` {
  @Test func `no more routes are told apart than the limit says`() {
    let metrics = ServingMetrics(routes: 3)
    for number in 0..<100 {
      metrics.record(
        ServingSample(resource: "/r\(number % 50)", kind: .read, status: 200, latency: 0.002)
      )
    }
    let lines = metrics.text.split(separator: "\n")
    let counts = lines.filter { $0.hasPrefix("freshet_served_total{") }
    #expect(
      Set(counts) == [
        #"freshet_served_total{resource="/r0",kind="read",status="200"} 2"#,
        #"freshet_served_total{resource="/r1",kind="read",status="200"} 2"#,
        #"freshet_served_total{resource="/r2",kind="read",status="200"} 2"#,
        #"freshet_served_total{resource="other",kind="read",status="200"} 94"#,
      ]
    )
  }

  @Test func `the metrics of several services are one text`() {
    let (one, two) = (ServingMetrics(), ServingMetrics())
    one.record(ServingSample(resource: "/b", kind: .event, status: 200, lag: 0.2))
    two.record(ServingSample(resource: "/a\"", kind: .wait, status: 304, wait: 3))
    var metrics = MetricsText()
    ServingMetrics.write([one, two], to: &metrics)
    let lines = metrics.text.split(separator: "\n")
    #expect(Set(lines).count == lines.count)
    let heads = lines.filter { $0.hasPrefix("# TYPE") }.map { $0.split(separator: " ")[2] }
    #expect(
      heads == [
        "freshet_served_total", "freshet_served_wait_seconds", "freshet_served_stream_lag_seconds",
      ]
    )
    #expect(lines.contains(#"freshet_served_wait_seconds_sum{resource="/a\"",kind="wait"} 3"#))
    #expect(ServingMetrics().text.isEmpty)
  }

  @Test func `a backend of swift-metrics receives what the text says`() throws {
    let host = TestMetrics()
    let metrics = ServingMetrics(routes: 1, backend: host)
    for status in [200, 200, 304] {
      metrics.record(
        ServingSample(resource: "/r", kind: .read, status: status, latency: 0.25, age: 3)
      )
    }
    metrics.record(
      ServingSample(resource: "/further", kind: .event, status: 200, age: 1e12, lag: -1)
    )
    let labels = [("resource", "/r"), ("kind", "read")]
    func count(_ status: Int) throws -> Int64 {
      try host.expectCounter("freshet_served_total", labels + [("status", "\(status)")]).totalValue
    }
    #expect(try count(200) == 2)
    #expect(try count(304) == 1)
    #expect(metrics.text.contains(#"{resource="/r",kind="read",status="200"} 2"#))
    let latency = try host.expectTimer("freshet_served_latency_seconds", labels)
    #expect(latency.values == [250_000_000, 250_000_000, 250_000_000])
    let age = try host.expectTimer("freshet_served_age_seconds", labels)
    #expect(age.values == [3_000_000_000, 3_000_000_000, 3_000_000_000])
    // Of the routes beyond the limit, and of durations that 64 bits of nanoseconds cannot hold.
    let others = [("resource", "other"), ("kind", "event")]
    let ages = try host.expectTimer("freshet_served_age_seconds", others)
    #expect(ages.values == [.max])
    let lag = try host.expectTimer("freshet_served_stream_lag_seconds", others)
    #expect(lag.values == [0])
    // What was not measured has no series.
    #expect(host.timers.count == 4)
    #expect(metrics.ages.count == 4)
  }

  @Test func `the backend of the process is the one by default`() throws {
    let host = TestMetrics()
    let serving = withMetricsFactory(host) { ResourceServing(observesShutdown: false) }
    serving.record(ServingSample(resource: "/r", kind: .write, status: 412))
    let labels = [("resource", "/r"), ("kind", "write"), ("status", "412")]
    #expect(try host.expectCounter("freshet_served_total", labels).totalValue == 1)
  }
}
