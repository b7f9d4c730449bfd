/// The time between the starts of two requests for one resource.
package struct Interval: Hashable, Sendable {
  /// Whether the cadence must allow the interval.
  package enum Kind: Hashable, Sendable {
    /// The schedule chose it.
    case scheduled
    /// After a failure, chosen by the backoff (R7, R23).
    case afterFailure
    /// A user, a return or a stream event caused a request in between (R5, R11, R33).
    case requested
  }

  /// The line of the later request.
  package var line: Int
  /// When the later request started.
  package var at: Int64
  /// Milliseconds.
  package var length: Int64
  /// The cadence in force; 0 without one.
  package var cadence: Int64
  /// Whether the cadence must allow it.
  package var kind: Kind

  /// The minimum length that the cadence allows.
  package var least: Int64 { ReportLimits.leastInterval(at: cadence) }
  /// Whether it is shorter than the cadence allows.
  package var isTooShort: Bool { kind == .scheduled && cadence > 0 && length < least }

  /// Returns the intervals of a recording, by resource, in the order of the file.
  static func all(of samples: [RecordedSample]) -> [Interval] {
    var last: [Int32: RecordedSample] = [:]
    var intervals: [Interval] = []
    for sample in samples {
      if let before = last.updateValue(sample, forKey: sample.resource) {
        let kind: Kind =
          switch sample.reason {
          case nil, .schedule: before.isAnswer ? .scheduled : .afterFailure
          default: .requested
          }
        intervals.append(
          Interval(
            line: sample.line,
            at: sample.startedAt,
            length: sample.startedAt - before.startedAt,
            cadence: sample.cadence,
            kind: kind
          )
        )
      }
    }
    return intervals
  }
}
