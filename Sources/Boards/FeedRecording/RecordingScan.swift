import GTFSRealtime

/// One pass over the records of a file, without the bodies.
struct RecordingScan {
  private(set) var sources: [FeedRecording.Source] = []
  private(set) var answers: [FeedRecording.Answer] = []
  private(set) var tornTail: FeedRecording.TornTail?
  /// The position of the next record.
  private(set) var end: Int64 = 0
  /// The damage that was skipped, up to ``FeedRecording/Limits/damages``.
  private(set) var damages: [FeedRecording.Failure] = []
  /// How often damage was skipped.
  private(set) var damageCount = 0
  private let path: String
  private let isLenient: Bool
  /// The sizes of bodies, by the offsets of their records.
  private var bodies: [Int64: Int] = [:]
  /// The sources by number; some may be missing because of damage.
  private var numbered: [UInt16: FeedRecording.Source] = [:]

  /// Reads the records; a lenient scan records damage and continues with the next valid record.
  init(_ file: RecordingFile, isLenient: Bool = false) throws(FeedRecording.Failure) {
    path = file.path
    self.isLenient = isLenient
    let size = try file.size()
    guard try readHeader(file, size) else { return }
    var offset = Int64(FeedRecording.headerBytes)
    while offset < size {
      do throws(FeedRecording.Failure) {
        guard let next = try readRecord(file, at: offset, size) else { return }
        offset = next
      } catch {
        guard isLenient, error.code == .damaged else { throw error }
        damageCount += 1
        if damages.count < FeedRecording.Limits.damages { damages.append(error) }
        let finder = RecordFinder(file: file, size: size)
        guard let next = try finder.firstRecord(from: offset) else { break }
        offset = next
      }
    }
    end = offset
  }

  /// Reads the record at an offset.
  ///
  /// - Returns: The position of the next one; `nil` if this one is incomplete.
  private mutating func readRecord(
    _ file: RecordingFile,
    at offset: Int64,
    _ size: Int64
  ) throws(FeedRecording.Failure) -> Int64? {
    let rest = size - offset
    let headerBytes = Int64(FeedRecording.recordHeaderBytes)
    guard rest >= headerBytes else {
      tear(at: offset, rest)
      return nil
    }
    let header = try file.read(FeedRecording.recordHeaderBytes, at: offset)
    let length = Self.word(header, 0)
    guard length == ~Self.word(header, 4), length > 0 else {
      throw damaged("the length of a record is damaged", offset)
    }
    guard length <= FeedRecording.Limits.bodyBytes + 1 else {
      throw damaged("a record of \(length) bytes is over the limit", offset)
    }
    guard rest - headerBytes >= Int64(length) else {
      tear(at: offset, rest)
      return nil
    }
    try readRecord(file, header, Int(length), offset)
    return offset + headerBytes + Int64(length)
  }

  /// Compares a payload with the length and checksum of its record.
  static func check(
    _ payload: [UInt8],
    against header: [UInt8],
    at offset: Int64,
    in path: String
  ) throws(FeedRecording.Failure) {
    let digest = FeedDigest(payload)
    let stored = UInt64(word(header, 8)) | UInt64(word(header, 12)) << 32
    guard digest.hash == stored, Int(word(header, 0)) == payload.count else {
      throw FeedRecording.Failure(
        .damaged,
        path,
        "a record is damaged (checksum)",
        offset: offset
      )
    }
  }

  /// Reads the header of the file.
  ///
  /// - Returns: Whether there is one; a file whose recorder was killed at once has none.
  private mutating func readHeader(
    _ file: RecordingFile,
    _ size: Int64
  ) throws(FeedRecording.Failure) -> Bool {
    let count = Int(min(size, Int64(FeedRecording.headerBytes)))
    let header = try file.read(count, at: 0)
    let magic = FeedRecording.magic
    guard header.prefix(magic.count).elementsEqual(magic.prefix(count)) else {
      throw FeedRecording.Failure(.foreign, path, "is not a recording of feeds", offset: 0)
    }
    guard count == FeedRecording.headerBytes else {
      if count > 0 { tear(at: 0, Int64(count)) }
      return false
    }
    let version = Self.word(header, magic.count)
    guard version == FeedRecording.version, Self.word(header, magic.count + 4) == 0 else {
      throw FeedRecording.Failure(
        .otherVersion,
        path,
        "version \(version); this program reads version \(FeedRecording.version)",
        offset: Int64(magic.count)
      )
    }
    end = Int64(FeedRecording.headerBytes)
    return true
  }

  private mutating func readRecord(
    _ file: RecordingFile,
    _ header: [UInt8],
    _ length: Int,
    _ offset: Int64
  ) throws(FeedRecording.Failure) {
    let start = offset + Int64(FeedRecording.recordHeaderBytes)
    // Short records are checked whatever their kind; a long one can only be a body.
    guard length <= FeedRecording.Limits.recordBytes else {
      guard try file.read(1, at: start) == [RecordKind.body.rawValue] else {
        throw damaged("a record of \(length) bytes is over the limit", offset)
      }
      bodies[offset] = length - 1
      return
    }
    let payload = try file.read(length, at: start)
    try Self.check(payload, against: header, at: offset, in: path)
    var scanner = RecordScanner(payload)
    switch RecordKind(rawValue: payload[0]) {
    case .body:
      bodies[offset] = length - 1
      return
    case .source: try readSource(&scanner, offset)
    case .answer: try readAnswer(&scanner, offset)
    case nil: throw damaged("a record is of the unknown kind \(payload[0])", offset)
    }
    guard scanner.isAtEnd else { throw damaged("a record is longer than its content", offset) }
  }

  private mutating func readSource(
    _ scanner: inout RecordScanner,
    _ offset: Int64
  ) throws(FeedRecording.Failure) {
    guard let number = scanner.number(UInt16.self), isLenient || Int(number) == sources.count,
      let feed = scanner.text().flatMap({ FeedRecording.Feed(rawValue: $0) }),
      let address = scanner.text()
    else { throw damaged("a source is damaged", offset) }
    let source = FeedRecording.Source(feed: feed, address: address)
    sources.append(source)
    numbered[number] = source
  }

  private mutating func readAnswer(
    _ scanner: inout RecordScanner,
    _ offset: Int64
  ) throws(FeedRecording.Failure) {
    guard let number = scanner.number(UInt16.self), let source = numbered[number],
      let arrival = scanner.number(Int64.self), let duration = scanner.number(Int64.self),
      let status = scanner.number(UInt16.self), let body = scanner.number(Int64.self),
      let failure = scanner.text(), let count = scanner.number(UInt8.self)
    else { throw damaged("an answer is damaged", offset) }
    var answer = FeedRecording.Answer(
      source: source,
      arrival: arrival,
      duration: duration,
      status: Int(status),
      failure: failure
    )
    for _ in 0..<count {
      guard let name = scanner.text(), let value = scanner.text() else {
        throw damaged("a field of an answer is damaged", offset)
      }
      answer.fields.append(FeedRecording.Field(name, value))
    }
    if body != 0 {
      guard let size = bodies[body] else {
        throw damaged("an answer names a body that is not there", offset)
      }
      answer.body = FeedRecording.BodyPlace(offset: body, count: size)
    }
    answers.append(answer)
  }

  private mutating func tear(at offset: Int64, _ count: Int64) {
    tornTail = FeedRecording.TornTail(offset: offset, count: count)
    end = offset
  }

  private func damaged(_ reason: String, _ offset: Int64) -> FeedRecording.Failure {
    FeedRecording.Failure(.damaged, path, reason, offset: offset)
  }

  static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
  }
}
