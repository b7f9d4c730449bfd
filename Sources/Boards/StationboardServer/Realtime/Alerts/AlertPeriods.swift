import GTFSRealtime

/// When an alert is shown: the periods of the feed as spans that do not touch, in order.
struct AlertPeriods: Hashable, Sendable {
  /// A span, from its start on and before its end, in seconds since 1970-01-01T00:00:00Z.
  struct Span: Hashable, Sendable {
    /// 0 if it has always been.
    var start: UInt64
    /// The greatest number if it does not end.
    var end: UInt64
  }

  /// Means no end.
  static let open = UInt64.max

  /// The spans; one that covers all time if the feed gives no period.
  let spans: [Span]

  /// The communication periods of an alert, else its active periods, else always.
  init(_ alert: Alert) {
    self.init(
      alert.communicationPeriods.isEmpty ? alert.activePeriods : alert.communicationPeriods
    )
  }

  init(_ periods: [ActivePeriod]) {
    guard !periods.isEmpty else {
      spans = [Span(start: 0, end: Self.open)]
      return
    }
    var spans: [Span] = []
    let ordered = periods.map { Span(start: $0.start ?? 0, end: $0.end ?? Self.open) }
      .filter { $0.start < $0.end }
      .sorted { ($0.start, $0.end) < ($1.start, $1.end) }
    for span in ordered {
      if let last = spans.last, span.start <= last.end {
        spans[spans.count - 1].end = max(last.end, span.end)
      } else {
        spans.append(span)
      }
    }
    self.spans = spans
  }

  /// Whether the alert is shown at an instant, and the first later instant at which that changes.
  func state(at instant: UInt64) -> (isActive: Bool, changesAt: UInt64?) {
    // The first span that is not over.
    var low = 0
    var high = spans.count
    while low < high {
      let middle = (low + high) / 2
      if spans[middle].end <= instant { low = middle + 1 } else { high = middle }
    }
    guard low < spans.count else { return (false, nil) }
    let span = spans[low]
    guard span.start <= instant else { return (false, span.start) }
    return (true, span.end == Self.open ? nil : span.end)
  }
}
