/// One request of a recording, as given by its line (FreshnessRuntime, `SampleRecord.line`).
///
/// Times are milliseconds since 1970, lengths of time milliseconds. Strings are numbers of a
/// ``StringTable``; hashes represent strings that are only compared.
package struct RecordedSample: Hashable, Sendable {
  /// The number of the line, from 1.
  package var line: Int
  /// The hash of the line's bytes.
  package var lineHash: UInt64
  /// Method and address.
  package var resource: Int32
  /// The number of the request within its run.
  package var generation: Int64?
  /// The reason for the request; `nil` in older recordings.
  package var reason: Reason?
  /// The requested subject, and the subject of the response.
  package var asked: Int32?
  /// See ``asked``.
  package var answered: Int32?
  /// The hash of the server's identifier of the response.
  package var requestId: UInt64?
  /// The server's receipt; `nil` without one, and without a key to verify it.
  package var receipt: RecordedReceipt?
  /// The hash of the body.
  package var digest: UInt64?
  /// When the request started and ended, on the client's clock.
  package var startedAt: Int64
  /// See ``startedAt``.
  package var endedAt: Int64
  /// The duration in the line.
  package var duration: Int64
  /// The HTTP status; 0 without a response.
  package var status: Int64
  /// The outcome of the request.
  package var outcome: Outcome
  /// The server's clock.
  package var serverTime: Int64?
  /// When the data was made, on the server's clock.
  package var fetchedAt: Int64?
  /// The age of the data, as given by the server.
  package var cacheAge: Int64?
  /// The age of the data on arrival, as understood by the client.
  package var age: Int64?
  /// How complete the response is.
  package var mode: Int32?
  /// The state of realtime data.
  package var realtime: Int32?
  /// Whether it is the value `applied`.
  package var isApplied: Bool
  /// The bytes of the body.
  package var bytes: Int64
  /// Whether the request carried a validator.
  package var isConditional: Bool
  /// Whether the body changed.
  package var isChange: Bool
  /// The cadence in force when the request started; 0 without one.
  package var cadence: Int64

  /// The reason for a request.
  package enum Reason: String, Sendable {
    /// The schedule.
    case schedule
    /// The resource may be observed soon.
    case prefetch
    /// A return of the user, the application or the network.
    case catchUp = "catch_up"
    /// A report that the copy is out of date.
    case change
    /// The user.
    case person
  }

  /// The outcome of a request.
  package enum Outcome: String, Sendable {
    /// A body.
    case content
    /// "Not modified".
    case unchanged
    /// The request is wrong.
    case refused
    /// The credentials are wrong.
    case unauthorised
    /// The resource is gone.
    case gone
    /// The server asks the client to wait.
    case throttled
    /// The server failed.
    case serverError = "server_error"
    /// No response in time.
    case timedOut = "timed_out"
    /// No connection.
    case unreachable
    /// A body that cannot be read.
    case undecodable
    /// The request was canceled.
    case cancelled
  }

  /// Whether the server responded successfully.
  package var isAnswer: Bool { outcome == .content || outcome == .unchanged }
}

/// The strings of a recording, by number.
package struct StringTable: Hashable, Sendable {
  private(set) var strings: [String] = []
  private var numbers: [String: Int32] = [:]

  /// Returns the number of a string, or `nil` if there are too many.
  mutating func number(of string: String) -> Int32? {
    if let known = numbers[string] { return known }
    guard strings.count < ReportLimits.mostStrings else { return nil }
    let number = Int32(strings.count)
    strings.append(string)
    numbers[string] = number
    return number
  }

  /// Returns the string with a number.
  package subscript(_ number: Int32) -> String { strings[Int(number)] }
}
