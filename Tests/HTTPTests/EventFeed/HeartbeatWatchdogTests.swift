import EventFeed
import Testing

@Suite struct HeartbeatWatchdogTests {
  @Test func `a stream is lost after two and a half intervals of silence`() {
    var dog = HeartbeatWatchdog(interval: 15_000)
    dog.start(now: 1_000)
    #expect(dog.deadline == 38_500)
    #expect(dog.check(now: 38_499) == false)
    #expect(dog.check(now: 38_500) == true)
    #expect(dog.state == .lost)
    #expect(dog.deadline == nil)
  }

  @Test(arguments: [(1, 3), (2, 5), (3, 8), (0, 3), (-5, 3)] as [(Int64, Int64)])
  func `half a millisecond is rounded up`(interval: Int64, patience: Int64) {
    #expect(HeartbeatWatchdog(interval: interval).patience == patience)
  }

  @Test func `patience can be told`() {
    #expect(HeartbeatWatchdog(interval: 1_000, patience: 4_000).patience == 4_000)
    #expect(HeartbeatWatchdog(interval: 1_000, patience: 0).patience == 1)
  }

  @Test func `a heartbeat every interval keeps a stream alive`() {
    var dog = HeartbeatWatchdog(interval: 100)
    dog.start(now: 0)
    for now in stride(from: Int64(100), through: 10_000, by: 100) {
      #expect(dog.check(now: now) == false)
      dog.heard(now: now)
    }
    #expect(dog.deadline == 10_250)
  }

  @Test func `one lost heartbeat is borne, two late ones are not`() {
    var dog = HeartbeatWatchdog(interval: 100)
    dog.start(now: 0)
    #expect(dog.check(now: 200) == false)
    dog.heard(now: 200)
    #expect(dog.check(now: 449) == false)
    #expect(dog.check(now: 450) == true)
  }

  @Test func `bytes heard before a late check count`() {
    var dog = HeartbeatWatchdog(interval: 100)
    dog.start(now: 0)
    dog.heard(now: 300)
    #expect(dog.check(now: 301) == false)
  }

  @Test func `a lost stream is reported once and stays lost until the next one`() {
    var dog = HeartbeatWatchdog(interval: 100)
    dog.start(now: 0)
    #expect(dog.check(now: 250) == true)
    #expect(dog.check(now: 251) == false)
    dog.heard(now: 252)
    #expect(dog.state == .lost)
    dog.start(now: 300)
    #expect(dog.deadline == 550)
  }

  @Test func `a resting machine does nothing`() {
    var dog = HeartbeatWatchdog(interval: 100)
    dog.heard(now: 1)
    #expect(dog.check(now: .max) == false)
    dog.start(now: 0)
    dog.stop()
    #expect(dog.check(now: .max) == false)
    #expect(dog.state == .resting)
  }

  @Test func `hearing never brings the deadline forward, and nothing overflows`() {
    var dog = HeartbeatWatchdog(interval: 100)
    dog.start(now: 1_000)
    dog.heard(now: 500)
    #expect(dog.deadline == 1_250)
    dog.heard(now: .max)
    #expect(dog.deadline == .max)
    var slow = HeartbeatWatchdog(interval: .max)
    slow.start(now: .max)
    #expect(slow.deadline == .max)
  }
}
