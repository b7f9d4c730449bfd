import GTFSRealtime

extension FeedRecording {
  /// Reads a recording: the responses in force at an instant.
  ///
  /// Opening reads every record except the bodies, which are read and checked on demand. Records
  /// appended after opening are not seen.
  package final class Reader: Sendable {
    /// The sources, in the order of their first answer.
    package let sources: [Source]
    /// The incomplete record at the end that was dropped; `nil` if absent.
    package let tornTail: TornTail?
    /// The damage that was skipped, up to ``Limits/damages``.
    package let damages: [Failure]
    /// How often damage was skipped.
    package let damageCount: Int
    /// The path of the file.
    package var path: String { file.path }
    /// The responses of each feed, ordered by arrival.
    private let answers: [Feed: [Answer]]
    /// The position of the next record.
    let end: Int64
    private let file: RecordingFile

    /// Opens a recording.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - isLenient: Whether to skip damaged records (``damages``) and keep the valid ones.
    /// - Throws: ``Failure`` if the file cannot be read, is not a recording, or, unless lenient, is
    ///   damaged; it has the offset of the damaged record.
    package convenience init(path: String, isLenient: Bool = false) throws(Failure) {
      try self.init(RecordingFile(path, isWritable: false), isLenient: isLenient)
    }

    init(_ file: RecordingFile, isLenient: Bool = false) throws(Failure) {
      self.file = file
      let scan = try RecordingScan(file, isLenient: isLenient)
      sources = scan.sources
      tornTail = scan.tornTail
      damages = scan.damages
      damageCount = scan.damageCount
      end = scan.end
      answers = Dictionary(grouping: scan.answers, by: \.source.feed).mapValues { answers in
        // Ordered by arrival; equal ones by their position in the file. If the clock was set back
        // while recording, the order of the file differs from that of the clock.
        answers.enumerated().sorted {
          ($0.element.arrival, $0.offset) < ($1.element.arrival, $1.offset)
        }
        .map(\.element)
      }
    }

    /// Returns the responses of a feed, ordered by arrival.
    package func answers(_ feed: Feed) -> [Answer] { answers[feed] ?? [] }

    /// The instants of the first and the last response, in milliseconds since 1970-01-01T00:00:00Z;
    /// `nil` without responses.
    package var span: ClosedRange<Int64>? {
      let first = answers.values.compactMap(\.first?.arrival).min()
      let last = answers.values.compactMap(\.last?.arrival).max()
      guard let first, let last else { return nil }
      return first...last
    }

    /// Returns the response in force at an instant, in milliseconds since 1970-01-01T00:00:00Z: the
    /// last one that had arrived, of any kind; `nil` before the first one.
    package func answer(_ feed: Feed, at instant: Int64) -> Answer? {
      let answers = answers(feed)
      let count = Self.count(in: answers, until: instant)
      return count > 0 ? answers[count - 1] : nil
    }

    /// Returns the last success with a body that had arrived at an instant: the copy of a poller
    /// that keeps its last good copy.
    package func content(_ feed: Feed, at instant: Int64) -> Answer? {
      let answers = answers(feed)
      return answers.prefix(Self.count(in: answers, until: instant)).last {
        $0.isSuccess && $0.body != nil
      }
    }

    /// Returns the first response that arrives after an instant; `nil` after the last one.
    package func next(_ feed: Feed, after instant: Int64) -> Answer? {
      let answers = answers(feed)
      let count = Self.count(in: answers, until: instant)
      return count < answers.count ? answers[count] : nil
    }

    /// Reads the body of a response; empty if it has none.
    ///
    /// - Throws: ``Failure`` if the record is damaged, with its offset.
    package func body(of answer: Answer) throws(Failure) -> [UInt8] {
      guard let place = answer.body else { return [] }
      let header = try file.read(recordHeaderBytes, at: place.offset)
      let payload = try file.read(place.count + 1, at: place.offset + Int64(header.count))
      try RecordingScan.check(payload, against: header, at: place.offset, in: file.path)
      return Array(payload.dropFirst())
    }

    /// Reads and checks every body.
    ///
    /// - Throws: ``Failure`` for the first damaged one, with its offset.
    package func verify() throws(Failure) {
      var seen: Set<BodyPlace> = []
      for feed in Feed.allCases {
        for answer in answers(feed) {
          guard let body = answer.body, seen.insert(body).inserted else { continue }
          _ = try self.body(of: answer)
        }
      }
    }

    private static func count(in answers: [Answer], until instant: Int64) -> Int {
      var low = 0
      var high = answers.count
      while low < high {
        let middle = (low + high) / 2
        if answers[middle].arrival <= instant { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }
}
