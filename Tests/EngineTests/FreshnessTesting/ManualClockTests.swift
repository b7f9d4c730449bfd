import FreshnessTesting
import Synchronization
import Testing

@Suite("The manual clock", .timeLimit(.minutes(10)))
struct ManualClockTests {
  /// What sleepers report, in the order in which they report it.
  final class Log: Sendable {
    private let entries = Mutex<[String]>([])
    var lines: [String] { entries.withLock { $0 } }
    func add(_ line: String) { entries.withLock { $0.append(line) } }
  }

  @Test
  func `time stands still until it is advanced`() async {
    let clock = ManualClock()
    #expect(clock.now == ManualClock.Instant())
    await clock.advance(by: .milliseconds(1_500))
    #expect(clock.now.offset == .milliseconds(1_500))
    await clock.advance(by: .seconds(-3))
    #expect(clock.now.offset == .milliseconds(1_500))
    let later = clock.now.advanced(by: .seconds(2))
    #expect(clock.now.duration(to: later) == .seconds(2) && clock.now < later)
  }

  @Test
  func `a sleeper wakes at its deadline and not before`() async throws {
    let clock = ManualClock()
    let log = Log()
    let task = Task {
      try await clock.sleep(for: .seconds(10))
      log.add("awake")
    }
    try await clock.waitForSleepers(atLeast: 1)
    #expect(clock.sleepers == 1 && clock.nextDeadline?.offset == .seconds(10))
    await clock.advance(by: .milliseconds(9_999))
    #expect(clock.sleepers == 1 && log.lines.isEmpty)
    await clock.advance(by: .milliseconds(1))
    #expect(clock.sleepers == 0 && clock.nextDeadline == nil)
    try await task.value
    #expect(log.lines == ["awake"])
  }

  @Test
  func `a deadline that has passed is not a sleep`() async throws {
    let clock = ManualClock()
    await clock.advance(by: .seconds(5))
    try await clock.sleep(until: .init(offset: .seconds(5)))
    try await clock.sleep(until: .init(offset: .seconds(1)))
    #expect(clock.sleepers == 0)
  }

  @Test
  func `sleepers wake in the order of their deadlines, at their deadlines`() async throws {
    let clock = ManualClock()
    let log = Log()
    // The clock reports each sleeper's time while `advance` waits for it: the order is exact.
    await withThrowingTaskGroup(of: Void.self) { group in
      for seconds in [30, 10, 20, 5, 25, 15] {
        group.addTask {
          try await clock.sleep(until: .init(offset: .seconds(seconds)))
          log.add("\(seconds)")
        }
      }
      try? await clock.waitForSleepers(atLeast: 6)
      for second in stride(from: 5, through: 30, by: 5) {
        await clock.advance(by: .seconds(5))
        #expect(clock.sleepers == 6 - second / 5)
        #expect(clock.now.offset == .seconds(second))
        _ = try? await group.next()
      }
    }
    #expect(log.lines == ["5", "10", "15", "20", "25", "30"])
  }

  @Test
  func `one advance over several deadlines wakes them all and ends at its own time`() async throws {
    let clock = ManualClock()
    let tasks = (1...50).map { number in
      Task { try await clock.sleep(until: .init(offset: .seconds(51 - number))) }
    }
    try await clock.waitForSleepers(atLeast: 50)
    await clock.advance(by: .seconds(49))
    #expect(clock.sleepers == 1 && clock.now.offset == .seconds(49))
    await clock.advance(by: .seconds(10))
    #expect(clock.sleepers == 0 && clock.now.offset == .seconds(59))
    for task in tasks { try await task.value }
  }

  @Test
  func `a loop that sleeps again is waited for`() async throws {
    let clock = ManualClock()
    let log = Log()
    let task = Task {
      for round in 1...3 {
        try await clock.sleep(for: .seconds(1))
        log.add("\(round) at \(clock.now.offset)")
      }
    }
    for _ in 1...3 {
      try await clock.waitForSleepers(atLeast: 1)
      await clock.advance(by: .seconds(1))
    }
    try await task.value
    #expect(log.lines == ["1 at 1.0 seconds", "2 at 2.0 seconds", "3 at 3.0 seconds"])
  }

  @Test
  func `a sleeper that is cancelled wakes at once with an error, and the others sleep on`()
    async throws
  {
    let clock = ManualClock()
    let first = Task { try await clock.sleep(for: .seconds(1)) }
    let second = Task { try await clock.sleep(for: .seconds(1)) }
    try await clock.waitForSleepers(atLeast: 2)
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect(clock.sleepers == 1)
    await clock.advance(by: .seconds(1))
    try await second.value
  }

  @Test
  func `a task that was cancelled before does not lie down`() async {
    let clock = ManualClock()
    let latch = Latch()
    let task = Task {
      await latch.wait()
      try await clock.sleep(for: .seconds(1))
    }
    task.cancel()
    await latch.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleepers == 0)
  }

  @Test
  func `waiting for sleepers can be cancelled`() async {
    let clock = ManualClock()
    let task = Task { try await clock.waitForSleepers(atLeast: 1) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test
  func `it is a clock like any other`() async throws {
    func measured(on clock: some Clock<Swift.Duration>) async throws -> Swift.Duration {
      try await clock.measure { try await clock.sleep(for: .seconds(3)) }
    }
    let clock = ManualClock()
    let task = Task { try await measured(on: clock) }
    try await clock.waitForSleepers(atLeast: 1)
    await clock.advance(by: .seconds(3))
    #expect(try await task.value == .seconds(3))
  }
}

/// A latch that is opened once.
actor Latch {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func wait() async {
    guard !isOpen else { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}
