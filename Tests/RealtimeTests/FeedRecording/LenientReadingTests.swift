import FeedRecording
import Testing

@Suite struct LenientReadingTests {
  /// Every answer that can be read with its body, as what tells it from others.
  private func usable(_ reader: FeedRecording.Reader) -> Set<[Int64]> {
    var found: Set<[Int64]> = []
    for feed in FeedRecording.Feed.allCases {
      for answer in reader.answers(feed) where (try? reader.body(of: answer)) != nil {
        found.insert([answer.arrival, Int64(answer.status)])
      }
    }
    return found
  }

  @Test func `Whatever byte is flipped, only what needs it is lost, and its place is told`() throws
  {
    let stand = try RecordingStand()
    defer { stand.remove() }
    try stand.fill()
    let whole = try stand.bytes
    let all = usable(try FeedRecording.Reader(path: stand.path))
    #expect(all.count == 7)
    var fewest = all.count
    for place in 16..<whole.count {
      var bytes = whole
      bytes[place] ^= 1 << UInt8(place % 8)
      try stand.put(bytes)
      let reader = try FeedRecording.Reader(path: stand.path, isLenient: true)
      let rest = usable(reader)
      #expect(reader.damageCount >= 1, "byte \(place)")
      #expect(reader.damages.first?.offset.map { $0 <= Int64(place) } == true, "byte \(place)")
      // Nothing is invented.
      #expect(rest.isSubset(of: all), "byte \(place)")
      fewest = min(fewest, rest.count)
      // The alerts are at the end: only damage to their own three records touches them.
      if place < whole.count / 3 { #expect(rest.contains([55_000, 200]), "byte \(place)") }
    }
    // The source of the trip updates is needed by all of them; nothing takes more than that.
    #expect(fewest == 1)
  }

  @Test func `Nothing is lost before and after a hole of zeros`() throws {
    let stand = try RecordingStand()
    defer { stand.remove() }
    do {
      let writer = try FeedRecording.Writer(path: stand.path)
      for second in 1...200 as ClosedRange<Int64> {
        let body = RecordingStand.body(UInt8(truncatingIfNeeded: second), count: 30_000)
        try writer.append(RecordingStand.answer(second), body: body)
      }
    }
    var bytes = try stand.bytes
    for place in 2_000_000..<4_100_000 { bytes[place] = 0 }
    try stand.put(bytes)
    let reader = try FeedRecording.Reader(path: stand.path, isLenient: true)
    let arrivals = Set(usable(reader).map { $0[0] / 1_000 })
    #expect(arrivals.isSuperset(of: 1...60))
    #expect(arrivals.isSuperset(of: 140...200))
    #expect(!arrivals.contains(100))
    #expect(reader.damageCount >= 1)
  }

  @Test func `A complete recording has no damage, and a truncated tail is not damage`() throws {
    let stand = try RecordingStand()
    defer { stand.remove() }
    try stand.fill()
    #expect(try FeedRecording.Reader(path: stand.path, isLenient: true).damageCount == 0)
    try stand.put(Array(stand.bytes.dropLast(5)))
    let reader = try FeedRecording.Reader(path: stand.path, isLenient: true)
    #expect(reader.damageCount == 0)
    #expect(reader.tornTail != nil)
    #expect(usable(reader).count == 6)
  }

  @Test func `What is not a recording is refused however lenient the reader is`() throws {
    let stand = try RecordingStand()
    defer { stand.remove() }
    try stand.put(Array("no recording, but long enough for a header".utf8))
    #expect(throws: FeedRecording.Failure.self) {
      try FeedRecording.Reader(path: stand.path, isLenient: true)
    }
  }
}
