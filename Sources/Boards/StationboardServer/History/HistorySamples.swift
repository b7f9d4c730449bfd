import FreshResponses

/// Reads the sources of realtime, and what clients saw of it, into a series.
///
/// A value; what is read are counters that only grow, so that two readings tell what happened between them.
struct HistorySamples: Sendable {
  var series = HistorySeries()
  private var before: [HistorySubject: Reading] = [:]
  private var servedBefore: Histogram?

  /// What was read of a source.
  private struct Reading {
    var made: Double?
    var fetched: Double?
    var good: Int
    var bad: Int
  }

  /// Reads the sources of a feed.
  ///
  /// - Parameters:
  ///   - sources: The sources.
  ///   - feed: The key of the feed.
  ///   - instant: Now, in seconds since 1970-01-01T00:00:00Z.
  mutating func record(_ sources: [SourceView], of feed: String, at instant: Double) {
    for source in sources {
      let subject = HistorySubject(feed: feed, kind: source.kind.rawValue, number: source.number)
      let status = source.status
      let now = Reading(
        made: status.sourceTime,
        fetched: status.fetchedAt,
        good: status.metrics.answered,
        bad: status.metrics.failed
      )
      defer { before[subject] = now }
      guard let last = before[subject] else {
        series.age(of: subject, made: now.made, until: instant)
        continue
      }
      // The content before was in use until the one in use arrived.
      if let fetched = now.fetched, fetched != last.fetched {
        series.age(of: subject, made: last.made, until: min(fetched, instant))
        if let counters = source.counters {
          series.change(subject, at: instant) { point in
            point.matched += counters.matching
            point.unmatched += counters.unmatched
          }
        }
      }
      series.age(of: subject, made: now.made, until: instant)
      guard now.good > last.good || now.bad > last.bad else { continue }
      series.change(subject, at: instant) { point in
        point.good += now.good - last.good
        point.bad += now.bad - last.bad
      }
    }
  }

  /// Reads the ages of the data in all answers so far.
  mutating func record(served: Histogram, at instant: Double) {
    defer { servedBefore = served }
    guard let servedBefore, served.count > servedBefore.count else { return }
    series.change(.served, at: instant) { point in
      for (place, count) in served.counts.enumerated() {
        let new = Int(clamping: count - servedBefore.counts[place])
        let bound = place < Histogram.bounds.count ? Histogram.bounds[place] : .infinity
        let range = HistoryPoint.ages.firstIndex { bound <= $0 } ?? HistoryPoint.ages.count
        point.answers[range] += new
        point.good += new
      }
      point.ageSum += served.sum - servedBefore.sum
    }
  }
}

extension SourceMetrics {
  /// Requests that the source answered with a feed, or with that nothing has changed.
  var answered: Int { polls["content", default: 0] + polls["unchanged", default: 0] }

  /// Requests that it did not answer so.
  var failed: Int { polls.values.reduce(0, +) - answered }
}
