import EventFeed
import Hashing
import Testing

@Suite struct EventSequenceTests {
  @Test func `events in order are applied`() {
    var sequence = EventSequence()
    for number in 7...12 as ClosedRange<Int64> {
      #expect(sequence.receive(EventNumber(number, epoch: "a")) == .apply)
    }
    #expect(sequence.last == EventNumber(12, epoch: "a"))
  }

  @Test(arguments: 0...5 as ClosedRange<Int64>)
  func `an event that was applied before is dropped`(number: Int64) {
    var sequence = EventSequence(last: EventNumber(5))
    #expect(sequence.receive(EventNumber(number)) == .duplicate)
    #expect(sequence.last == EventNumber(5))
  }

  @Test func `a gap names what is missing and lasts until a replay fills it`() {
    var sequence = EventSequence(last: EventNumber(5))
    #expect(sequence.receive(EventNumber(8)) == .gap(missing: 6...7))
    #expect(sequence.receive(EventNumber(9)) == .gap(missing: 6...8))
    #expect(sequence.last == EventNumber(5))
    for number in 6...9 as ClosedRange<Int64> {
      #expect(sequence.receive(EventNumber(number)) == .apply)
    }
  }

  @Test func `a snapshot closes a gap`() {
    var sequence = EventSequence(last: EventNumber(5))
    #expect(sequence.receive(EventNumber(8)) == .gap(missing: 6...7))
    sequence.start(at: EventNumber(8))
    #expect(sequence.receive(EventNumber(8)) == .duplicate)
    #expect(sequence.receive(EventNumber(9)) == .apply)
  }

  @Test func `a new epoch applies nothing until a snapshot of it came`() {
    var sequence = EventSequence(last: EventNumber(5, epoch: "a"))
    #expect(sequence.receive(EventNumber(6, epoch: "b")) == .newEpoch("b"))
    #expect(sequence.receive(EventNumber(1, epoch: "b")) == .newEpoch("b"))
    sequence.start(at: EventNumber(1, epoch: "b"))
    #expect(sequence.receive(EventNumber(2, epoch: "b")) == .apply)
    #expect(sequence.receive(EventNumber(6, epoch: "a")) == .newEpoch("a"))
  }

  @Test func `a reset takes the first event that comes`() {
    var sequence = EventSequence(last: EventNumber(5))
    sequence.start(at: nil)
    #expect(sequence.last == nil)
    #expect(sequence.receive(EventNumber(1)) == .apply)
  }

  @Test func `the largest number overflows nothing`() {
    var sequence = EventSequence(last: EventNumber(.max - 1))
    #expect(sequence.receive(EventNumber(.max)) == .apply)
    #expect(sequence.receive(EventNumber(.max)) == .duplicate)
    sequence.start(at: EventNumber(0))
    #expect(sequence.receive(EventNumber(.max)) == .gap(missing: 1...(.max - 1)))
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `lost, doubled and reordered events are applied once each and in order`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var sequence = EventSequence(last: EventNumber(0))
    var applied: [Int64] = []
    let count: Int64 = 60
    while applied.count < Int(count) {
      // A connection replays from the resume point, and then misbehaves.
      var stream = Array((sequence.last?.number ?? 0) + 1...count)
      for _ in 0..<5 where !stream.isEmpty {
        let index = Int.random(in: 0..<stream.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: stream.remove(at: index)
        case 1:
          stream.insert(stream[index], at: Int.random(in: 0...stream.count, using: &generator))
        default: stream.swapAt(index, Int.random(in: 0..<stream.count, using: &generator))
        }
      }
      for number in stream {
        let before = sequence
        switch sequence.receive(EventNumber(number)) {
        case .apply: applied.append(number)
        case .duplicate, .gap: #expect(sequence == before)
        case .newEpoch: Issue.record("there is only one epoch")
        }
      }
    }
    #expect(applied == Array(1...count))
  }
}
