import Foundation
import FreshResponses
import FreshnessServer
import GTFS
import Serving

extension ServedValue<StatusReport> {
  /// The status of a server, as clients keep it fresh.
  static var status: ServedValue<StatusReport> {
    ServedValue(mediaType: "application/json; charset=utf-8") { report in
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return Array(try encoder.encode(report))
    }
  }

  /// Publishes the status for readers: when realtime or the history changes, and periodically.
  ///
  /// - Parameters:
  ///   - reader: Reads the status.
  ///   - pace: How many times as fast the service clock runs.
  func follow(_ reader: StatusReader, pace: Double) async {
    let (ticks, continuation) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let pause = StatusLimits.pause(pace: pace)
    await withTaskGroup { group in
      if let ticks = reader.realtime?.ticks() {
        group.addTask { for await _ in ticks { continuation.yield() } }
      }
      if let updates = reader.history?.updates() {
        group.addTask { for await _ in updates { continuation.yield() } }
      }
      group.addTask {
        while !Task.isCancelled {
          continuation.yield()
          try? await Task.sleep(for: .seconds(StatusLimits.longestPause))
        }
        continuation.finish()
      }
      for await _ in ticks {
        await BackgroundExecutor.apart {
          try? self.publish(reader.report(), expecting: .seconds(pause))
        }
        // Many changes are one report.
        try? await Task.sleep(for: .seconds(pause))
      }
    }
  }
}

/// The limits of `/api/status`.
enum StatusLimits {
  /// The least time between two reports, in seconds.
  static let leastPause = 5.0
  /// The longest time between two reports, in seconds.
  static let longestPause = 15.0
  /// The most waits and streams.
  static let waiters = 200

  /// The least time between two reports by the machine's clock.
  static func pause(pace: Double) -> Double { max(leastPause / pace, 0.5) }
}

extension ServingLimits {
  /// What `/api/status` gives to its clients.
  static let status: ServingLimits = {
    var limits = ServingLimits()
    limits.waiters = StatusLimits.waiters
    return limits
  }()
}
