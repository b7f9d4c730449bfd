import FeedRecording
import Foundation
import Testing

@Suite struct RecordingTests {
  @Test func `What was recorded is read back, field by field`() throws {
    let stand = try RecordingStand()
    defer { stand.remove() }
    try stand.fill()
    let reader = try FeedRecording.Reader(path: stand.path)
    #expect(reader.tornTail == nil)
    #expect(reader.sources == [RecordingStand.source, RecordingStand.alertSource])
    #expect(reader.span == 10_000...55_000)
    let answers = reader.answers(.tripUpdates)
    #expect(answers.map(\.arrival) == [10_000, 20_000, 30_000, 40_000, 45_000, 50_000])
    #expect(answers.map(\.status) == [200, 200, 304, 503, 0, 200])
    #expect(answers[0][field: "etag"] == "\"10\"")
    #expect(answers[0].duration == 120)
    #expect(answers[4].failure == "no answer in time")
    #expect(answers[4].body == nil)
    #expect(try reader.body(of: answers[0]) == RecordingStand.body(1))
    #expect(try reader.body(of: answers[2]) == RecordingStand.body(1))
    #expect(try reader.body(of: answers[3]) == Array("busy".utf8))
    #expect(try reader.body(of: answers[4]) == [])
    #expect(try reader.body(of: answers[5]) == RecordingStand.body(2))
    try reader.verify()
  }

  @Test func `An instant has the answer that had arrived last, and the content before it`() throws {
    let stand = try RecordingStand()
    defer { stand.remove() }
    try stand.fill()
    let reader = try FeedRecording.Reader(path: stand.path)
    #expect(reader.answer(.tripUpdates, at: 9_999) == nil)
    #expect(reader.answer(.tripUpdates, at: 10_000)?.arrival == 10_000)
    #expect(reader.answer(.tripUpdates, at: 39_999)?.status == 304)
    #expect(reader.answer(.tripUpdates, at: 46_000)?.status == 0)
    #expect(reader.content(.tripUpdates, at: 46_000)?.arrival == 30_000)
    #expect(reader.answer(.tripUpdates, at: .max)?.arrival == 50_000)
    #expect(reader.answer(.alerts, at: 54_999) == nil)
    #expect(reader.answer(.alerts, at: 55_000)?.source == RecordingStand.alertSource)
    #expect(reader.next(.tripUpdates, after: 10_000)?.arrival == 20_000)
    #expect(reader.next(.tripUpdates, after: 50_000) == nil)
  }

  @Test func `A body that is the same as the one before takes no room`() throws {
    let stand = try RecordingStand()
    defer { stand.remove() }
    let large = RecordingStand.body(7, count: 1_000_000)
    let writer = try FeedRecording.Writer(path: stand.path)
    #expect(try writer.append(RecordingStand.answer(1), body: large) == .content)
    let before = writer.count
    for second in 2...100 as ClosedRange<Int64> {
      #expect(try writer.append(RecordingStand.answer(second), body: large) == .repetition)
    }
    #expect(writer.count - before < 99 * 120)
    // The same body from another source is another body.
    let other = RecordingStand.answer(101, from: RecordingStand.alertSource)
    #expect(try writer.append(other, body: large) == .content)
    #expect(Int64(try stand.bytes.count) == writer.count)
  }

  @Test func `A 304 confirms the content before it, not the text of an error`() throws {
    let stand = try RecordingStand()
    defer { stand.remove() }
    let busy = Array("busy".utf8)
    do {
      let writer = try FeedRecording.Writer(path: stand.path)
      try writer.append(RecordingStand.answer(1), body: RecordingStand.body(1))
      try writer.append(RecordingStand.answer(2, status: 503), body: busy)
      try writer.append(RecordingStand.answer(3, status: 304), body: nil)
      try writer.append(RecordingStand.answer(4, status: 503), body: busy)
    }
    // The next recorder knows it too.
    let writer = try FeedRecording.Writer(path: stand.path)
    try writer.append(RecordingStand.answer(5, status: 304), body: nil)
    let reader = try FeedRecording.Reader(path: stand.path)
    for second in [3_000, 5_000] as [Int64] {
      let answer = try #require(reader.answer(.tripUpdates, at: second))
      #expect(try reader.body(of: answer) == RecordingStand.body(1))
    }
    let failed = try #require(reader.answer(.tripUpdates, at: 4_000))
    #expect(try reader.body(of: failed) == busy)
  }

  @Test func `A recording is continued by the next recorder, who knows the last body`() throws {
    let stand = try RecordingStand()
    defer { stand.remove() }
    try stand.fill()
    do {
      let writer = try FeedRecording.Writer(path: stand.path)
      #expect(writer.tornTail == nil)
      let entry = try writer.append(RecordingStand.answer(60), body: RecordingStand.body(2))
      #expect(entry == .repetition)
      try writer.append(RecordingStand.answer(70, status: 304), body: nil)
    }
    let reader = try FeedRecording.Reader(path: stand.path)
    #expect(reader.sources.count == 2)
    let last = try #require(reader.answer(.tripUpdates, at: 70_000))
    #expect(last.status == 304)
    #expect(try reader.body(of: last) == RecordingStand.body(2))
  }

  @Test func `Two recorders do not write one file`() throws {
    let stand = try RecordingStand()
    defer { stand.remove() }
    let first = try FeedRecording.Writer(path: stand.path)
    #expect(code { _ = try FeedRecording.Writer(path: stand.path) } == .busy)
    try first.append(RecordingStand.answer(1), body: [1])
    // Reading is allowed meanwhile.
    #expect(try FeedRecording.Reader(path: stand.path).answers(.tripUpdates).count == 1)
  }

  @Test func `Answers are ordered by arrival even if the clock was set back`() throws {
    let stand = try RecordingStand()
    defer { stand.remove() }
    let writer = try FeedRecording.Writer(path: stand.path)
    for second in [10, 30, 20, 40] as [Int64] {
      try writer.append(RecordingStand.answer(second), body: [UInt8(second)])
    }
    let reader = try FeedRecording.Reader(path: stand.path)
    #expect(reader.answers(.tripUpdates).map(\.arrival) == [10_000, 20_000, 30_000, 40_000])
    let found = try #require(reader.answer(.tripUpdates, at: 25_000))
    #expect(try reader.body(of: found) == [20])
  }

  @Test func `What is over a limit is cut, or recorded as a failure`() throws {
    let stand = try RecordingStand()
    defer { stand.remove() }
    let writer = try FeedRecording.Writer(path: stand.path)
    var long = RecordingStand.answer(1, failure: String(repeating: "ü", count: 5_000))
    long.fields = (0..<100).map { .init("f\($0)", String(repeating: "x", count: 3_000)) }
    let huge = [UInt8](repeating: 1, count: FeedRecording.Limits.bodyBytes + 1)
    #expect(try writer.append(long, body: nil) == .bare)
    #expect(try writer.append(RecordingStand.answer(2), body: huge) == .bare)
    let address = String(repeating: "a", count: FeedRecording.Limits.addressBytes + 1)
    let wrong = FeedRecording.Source(feed: .alerts, address: address)
    #expect(
      code { try writer.append(RecordingStand.answer(3, from: wrong), body: nil) } == .limitExceeded
    )
    let answers = try FeedRecording.Reader(path: stand.path).answers(.tripUpdates)
    #expect(answers.count == 2)
    #expect(answers[0].fields.count == FeedRecording.Limits.fields)
    #expect(answers[0].failure.utf8.count <= FeedRecording.Limits.textBytes)
    #expect(answers[0].failure.utf8.count > FeedRecording.Limits.textBytes - 4)
    #expect(answers[1].failure.contains("\(FeedRecording.Limits.bodyBytes)"))
  }

  private func code(_ body: () throws -> Void) -> FeedRecording.Failure.Code? {
    do { try body() } catch { return (error as? FeedRecording.Failure)?.code }
    return nil
  }
}
