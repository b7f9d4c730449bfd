import FeedRecording
import TestScale
import Testing

@Suite struct DamageTests {
  private func failure(_ path: String) -> FeedRecording.Failure? {
    do throws(FeedRecording.Failure) {
      try FeedRecording.Reader(path: path).verify()
      return nil
    } catch {
      return error
    }
  }

  @Test func `A recording that was cut anywhere has all records before the cut`() throws {
    let stand = try RecordingStand()
    defer { stand.remove() }
    try stand.fill()
    let whole = try stand.bytes
    var counts: Set<Int> = []
    for length in stride(from: 0, to: whole.count, by: TestScale.sized(5, long: 1)) {
      try stand.put(Array(whole.prefix(length)))
      let reader = try FeedRecording.Reader(path: stand.path)
      try reader.verify()
      let count = reader.answers(.tripUpdates).count + reader.answers(.alerts).count
      #expect(count < 7)
      counts.insert(count)
      if let torn = reader.tornTail { #expect(torn.offset + torn.count == Int64(length)) }
    }
    #expect(counts == Set(0...6))
  }

  @Test func `A recorder takes away a torn tail, says so, and goes on`() throws {
    let stand = try RecordingStand()
    defer { stand.remove() }
    try stand.fill()
    let whole = try stand.bytes
    for missing in [1, 20, 60] {
      try stand.put(Array(whole.dropLast(missing)))
      do {
        let writer = try FeedRecording.Writer(path: stand.path)
        let torn = try #require(writer.tornTail)
        #expect("\(torn)".contains("at byte \(torn.offset)"))
        #expect(writer.count == torn.offset)
        try writer.append(RecordingStand.answer(90), body: [9])
      }
      let reader = try FeedRecording.Reader(path: stand.path)
      #expect(reader.tornTail == nil)
      #expect(reader.answer(.tripUpdates, at: 90_000)?.arrival == 90_000)
      try reader.verify()
    }
  }

  @Test func `Nothing stays of a torn tail that is longer than what comes next`() throws {
    let stand = try RecordingStand()
    defer { stand.remove() }
    try stand.fill()
    let end = try stand.bytes.count
    try FeedRecording.Writer(path: stand.path)
      .append(RecordingStand.answer(70), body: RecordingStand.body(9, count: 10_000))
    try stand.put(Array(stand.bytes.prefix(end + 5_000)))
    do {
      let writer = try FeedRecording.Writer(path: stand.path)
      #expect(writer.tornTail?.count == 5_000)
      try writer.append(RecordingStand.answer(80, status: 500), body: nil)
    }
    let reader = try FeedRecording.Reader(path: stand.path)
    try reader.verify()
    #expect(reader.tornTail == nil)
    #expect(reader.answer(.tripUpdates, at: 80_000)?.status == 500)
    #expect(reader.answers(.tripUpdates).count == 7)
  }

  @Test func `A byte that was flipped anywhere is found, and its record named`() throws {
    let stand = try RecordingStand()
    defer { stand.remove() }
    try stand.fill()
    let whole = try stand.bytes
    for place in stride(from: 0, to: whole.count, by: TestScale.sized(5, long: 1)) {
      var bytes = whole
      bytes[place] ^= 1 << UInt8(place % 8)
      try stand.put(bytes)
      let found = failure(stand.path)
      let failure = try #require(found, "byte \(place)")
      let offset = try #require(failure.offset)
      #expect(offset <= Int64(place))
      #expect(failure.description.contains("at byte \(offset)"))
      let expected: FeedRecording.Failure.Code =
        place < 8 ? .foreign : place < 16 ? .otherVersion : .damaged
      #expect(failure.code == expected, "byte \(place)")
    }
  }

  @Test func `A flipped byte in a long body is found when the body is read`() throws {
    let stand = try RecordingStand()
    defer { stand.remove() }
    do {
      let writer = try FeedRecording.Writer(path: stand.path)
      try writer.append(
        RecordingStand.answer(1),
        body: RecordingStand.body(5, count: 400_000)
      )
    }
    var bytes = try stand.bytes
    bytes[200_000] ^= 4
    try stand.put(bytes)
    let reader = try FeedRecording.Reader(path: stand.path)
    let answer = try #require(reader.answer(.tripUpdates, at: 1_000))
    #expect(throws: FeedRecording.Failure.self) { try reader.body(of: answer) }
    #expect(failure(stand.path)?.offset == answer.body?.offset)
  }

  @Test func `A file that is not a recording is refused and kept, also by recorders`() throws {
    let stand = try RecordingStand()
    defer { stand.remove() }
    let text = Array("trip_id,route_id\n1,2\n".utf8)
    try stand.put(text)
    #expect(failure(stand.path)?.code == .foreign)
    #expect(throws: FeedRecording.Failure.self) { try FeedRecording.Writer(path: stand.path) }
    #expect(try stand.bytes == text)
    try stand.put(Array("short".utf8))
    #expect(failure(stand.path)?.code == .foreign)
    #expect(failure(stand.folder + "/absent")?.code == .unreadable)
    #expect(failure(stand.folder)?.code == .unreadable)
  }

  @Test func `A recorder that cannot write says which file`() throws {
    let stand = try RecordingStand()
    defer { stand.remove() }
    let path = stand.folder + "/absent/recording"
    do {
      _ = try FeedRecording.Writer(path: path)
      Issue.record("a folder that is not there was written to")
    } catch {
      #expect(error.code == .unwritable)
      #expect(error.description.hasPrefix(path))
    }
  }
}
