import Jobs
import Testing

@testable import JobsServer

@Suite struct `What a late listener gets` {
  private let newest = EventPosition(epoch: 5, seq: 300)

  @Test func `what it missed, one by one, if it is not too much`() {
    #expect(newest.replayStart(for: EventPosition(epoch: 5, seq: 150), atMost: 200) == 150)
    #expect(newest.replayStart(for: EventPosition(epoch: 5, seq: 100), atMost: 200) == 100)
    #expect(newest.replayStart(for: newest, atMost: 200) == 300)
  }

  @Test func `the state if it missed too much, or has never heard anything of a long job`() {
    #expect(newest.replayStart(for: EventPosition(epoch: 5, seq: 99), atMost: 200) == nil)
    #expect(newest.replayStart(for: nil, atMost: 200) == nil)
    #expect(newest.replayStart(for: nil, atMost: 300) == 0)
  }

  @Test func `the state if its position is of another log, or of the future`() {
    #expect(newest.replayStart(for: EventPosition(epoch: 4, seq: 200), atMost: 200) == nil)
    #expect(newest.replayStart(for: EventPosition(epoch: 5, seq: 301), atMost: 200) == nil)
  }

  @Test func `the beginning is the same in every log`() {
    #expect(newest.replayStart(for: EventPosition(epoch: 4, seq: 0), atMost: 300) == 0)
    #expect(EventPosition(epoch: 5, seq: 0).replayStart(for: nil, atMost: 200) == 0)
  }
}
