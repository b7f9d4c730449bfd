/// One request of a recording, as a line of it says (FreshnessRuntime, `SampleRecord.line`).
///
/// Times are milliseconds since 1970, spans milliseconds. Words are numbers of a ``WordList``; hashes
/// stand for texts that are only compared.
package struct RecordedSample: Hashable, Sendable {
  /// The number of the line, from 1.
  package var line: Int
  /// The hash of the line's bytes.
  package var lineHash: UInt64
  /// Method and address.
  package var resource: Int32
  /// The number of the request within its run.
  package var generation: Int64?
  /// Why the request was sent; nothing in older recordings.
  package var origin: Origin?
  /// What was asked for, and what the answer says it is about.
  package var asked: Int32?
  /// See ``asked``.
  package var answered: Int32?
  /// The hash of the server's name for the answer.
  package var requestId: UInt64?
  /// The server's receipt; nothing without one, and where nobody gave a key to verify it.
  package var receipt: RecordedReceipt?
  /// The hash of the body.
  package var digest: UInt64?
  /// When the request started and ended, on the client's clock.
  package var startedAt: Int64
  /// See ``startedAt``.
  package var endedAt: Int64
  /// What the line says of the time between.
  package var duration: Int64
  /// The HTTP status; 0 without an answer.
  package var status: Int64
  /// What the end meant.
  package var outcome: Outcome
  /// The server's clock.
  package var serverTime: Int64?
  /// When the data was made, on the server's clock.
  package var fetchedAt: Int64?
  /// How old the data was, as the server says.
  package var cacheAge: Int64?
  /// How old the data was on arrival, as the client understood it.
  package var age: Int64?
  /// How much of the answer the server could put together.
  package var mode: Int32?
  /// What became of realtime.
  package var realtime: Int32?
  /// Whether it is the word `applied`.
  package var isApplied: Bool
  /// The bytes of the body.
  package var bytes: Int64
  /// Whether the request carried a validator.
  package var isConditional: Bool
  /// Whether the body became another.
  package var isChange: Bool
  /// The cadence in force when the request started; 0 when there was none.
  package var cadence: Int64

  /// Why a request was sent.
  package enum Origin: String, Sendable {
    /// The schedule.
    case schedule
    /// A guess that somebody will look soon.
    case prefetch
    /// A return of person, application or network.
    case catchUp = "catch_up"
    /// News that the copy is out of date.
    case change
    /// A person.
    case person
  }

  /// What the end of a request meant.
  package enum Outcome: String, Sendable {
    /// A body.
    case content
    /// "Not modified".
    case unchanged
    /// The question is wrong.
    case refused
    /// The identity is wrong.
    case unauthorised
    /// The thing is gone.
    case gone
    /// The server asks for a pause.
    case throttled
    /// The server failed.
    case serverError = "server_error"
    /// No answer in time.
    case timedOut = "timed_out"
    /// No connection.
    case unreachable
    /// A body that cannot be read.
    case undecodable
    /// Nobody wanted the answer any more.
    case cancelled
  }

  /// Whether the server answered, and well.
  package var isAnswer: Bool { outcome == .content || outcome == .unchanged }
}

/// The words of a recording by their numbers.
package struct WordList: Hashable, Sendable {
  private(set) var words: [String] = []
  private var numbers: [String: Int32] = [:]

  /// Numbers a word; nothing if there are too many.
  mutating func number(of word: String) -> Int32? {
    if let known = numbers[word] { return known }
    guard words.count < ReportLimits.mostWords else { return nil }
    let number = Int32(words.count)
    words.append(word)
    numbers[word] = number
    return number
  }

  /// The word of a number.
  package subscript(_ number: Int32) -> String { words[Int(number)] }
}
