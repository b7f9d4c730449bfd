/// The time between the starts of two requests for one resource.
package struct Interval: Hashable, Sendable {
  /// Whether the cadence must allow it.
  package enum Kind: Hashable, Sendable {
    /// The schedule chose it.
    case scheduled
    /// A failure came before: the ladder chose it (R7, R23).
    case afterFailure
    /// A person, a return or news asked in between (R5, R11, R33).
    case wished
  }

  /// The line of the later request.
  package var line: Int
  /// When the later request started.
  package var at: Int64
  /// Milliseconds.
  package var length: Int64
  /// The cadence in force; 0 when there was none.
  package var cadence: Int64
  /// Whether the cadence must allow it.
  package var kind: Kind

  /// The least length that the cadence allows.
  package var least: Int64 { ReportLimits.leastInterval(at: cadence) }
  /// Whether it is shorter than the cadence allows.
  package var isTooShort: Bool { kind == .scheduled && cadence > 0 && length < least }

  /// The intervals of a recording, resource by resource, in the order of the file.
  static func all(of samples: [RecordedSample]) -> [Interval] {
    var last: [Int32: RecordedSample] = [:]
    var intervals: [Interval] = []
    for sample in samples {
      if let before = last.updateValue(sample, forKey: sample.resource) {
        let kind: Kind =
          switch sample.origin {
          case nil, .schedule: before.isAnswer ? .scheduled : .afterFailure
          default: .wished
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
