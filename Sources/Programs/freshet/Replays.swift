import Commands
import ConditionalHTTP
import FeedRecording
import Foundation
import HTTPTypes
import Logging
import Serving
import StationboardServer

/// The recordings that replace realtime sources.
struct Replays {
  private struct Part {
    var prefix: String
    var reader: FeedRecording.Reader
  }

  private let parts: [Part]

  /// Opens recordings, each for the timetable with a prefix.
  ///
  /// - Throws: ``FeedRecording/Failure`` if a file cannot be read or has no responses.
  init(_ files: [(prefix: String, path: String)]) throws(FeedRecording.Failure) {
    var parts: [Part] = []
    for file in files {
      let reader = try FeedRecording.Reader(path: file.path, isLenient: true)
      guard reader.span != nil else { throw reader.empty }
      parts.append(Part(prefix: file.prefix, reader: reader))
    }
    self.parts = parts
  }

  /// The instant of the first response of all recordings, in seconds since 1970-01-01T00:00:00Z;
  /// `nil` without recordings.
  var start: Double? {
    parts.compactMap(\.reader.span?.lowerBound).min().map { Double($0) / 1_000 }
  }

  /// The sources to poll.
  var sources: [RealtimeSource] {
    parts.flatMap { part in
      FeedRecording.Feed.allCases.filter { !part.reader.answers($0).isEmpty }.map { feed in
        RealtimeSource(
          kind: feed.kind,
          prefix: part.prefix,
          request: FeedReplay.request(feed, of: part.reader.path)
        )
      }
    }
  }

  /// Returns the messages before the replay begins: one line for each recording, and what of it
  /// cannot be used.
  func lines(clock: ServiceClock) -> [String] {
    parts.flatMap { part in
      let reader = part.reader
      var lines: [String] = []
      for damage in reader.damages {
        lines.append("damaged, the rest is used: \(damage)")
      }
      if reader.damageCount > reader.damages.count {
        lines.append("\(reader.path): damaged at \(reader.damageCount) places in all")
      }
      if let torn = reader.tornTail { lines.append("\(reader.path): \(torn)") }
      for feed in FeedRecording.Feed.allCases {
        let addresses = reader.sources.filter { $0.feed == feed }.map(\.address)
        guard addresses.count > 1 else { continue }
        lines.append(
          "\(reader.path): \(feed.rawValue) of \(addresses.count) addresses are replayed as one:"
            + " \(addresses.joined(separator: ", "))"
        )
      }
      if let span = reader.span, clock.now > Double(span.upperBound) / 1_000 {
        lines.append("\(reader.path): the replay starts after the end of the recording")
      }
      return lines
    }
  }

  /// A description of what is replayed.
  var announcement: String {
    parts.map { part in
      let reader = part.reader
      let counts = FeedRecording.Feed.allCases.compactMap { feed -> String? in
        let count = reader.answers(feed).count
        return count > 0 ? "\(Quantity.count(count)) \(feed.rawValue)" : nil
      }
      let span = reader.span ?? 0...0
      let first = InstantText.write(Double(span.lowerBound) / 1_000)
      let last = InstantText.write(Double(span.upperBound) / 1_000)
      let counted = counts.joined(separator: " and ")
      return "  replaying \(reader.path): \(counted) answers, \(first) to \(last)\n"
    }
    .joined()
  }

  /// Returns the exchange that answers from the recordings, and the function to call when content
  /// was applied.
  func exchange(
    otherwise other: any HTTPExchange,
    clock: ServiceClock,
    logger: Logger
  ) -> (exchange: any HTTPExchange, onTaken: @Sendable (RealtimeSource) -> Void) {
    guard let field = HTTPField.Name(RealtimeSource.arrivalFieldName) else {
      return (other, { _ in })
    }
    var exchange = other
    var replays: [String: FeedReplay] = [:]
    for part in parts {
      let path = part.reader.path
      let replay = FeedReplay(
        part.reader,
        from: Int64((clock.now * 1_000).rounded(.down)),
        patience: { RealtimeSource.patience($0.kind) },
        time: FeedReplay.Time(
          now: { Int64((clock.now * 1_000).rounded(.down)) },
          sleep: { try await clock.sleep(until: Double($0) / 1_000) }
        ),
        arrivalField: field,
        otherwise: exchange,
        report: { notice in
          switch notice {
          case .damaged(let failure):
            logger.warning(
              "an answer of a recording is left out",
              metadata: ["reason": "\(failure)"]
            )
          case .ended:
            logger.notice(
              "a recording has ended; its sources stand still from here on",
              metadata: ["recording": "\(path)"]
            )
          }
        }
      )
      replays[part.prefix] = replay
      exchange = replay
    }
    return (
      exchange, { [replays] source in replays[source.prefix]?.taken(source.kind.recorded) }
    )
  }
}

extension FeedRecording.Reader {
  /// The error for a recording without responses.
  fileprivate var empty: FeedRecording.Failure {
    damages.first
      ?? FeedRecording.Failure(.unreadable, path, "has no answers; nothing can be replayed")
  }
}

extension FeedRecording.Feed {
  /// The kind of source.
  fileprivate var kind: RealtimeSource.Kind {
    switch self {
    case .tripUpdates: .tripUpdates
    case .alerts: .alerts
    case .vehiclePositions: .vehiclePositions
    }
  }
}

extension RealtimeSource.Kind {
  /// The feed of a recording.
  fileprivate var recorded: FeedRecording.Feed {
    switch self {
    case .tripUpdates: .tripUpdates
    case .alerts: .alerts
    case .vehiclePositions: .vehiclePositions
    }
  }
}
