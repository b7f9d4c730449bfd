import Foundation
import HTTPTypes
import Serving
import Testing

/// An answer of the stationboard as a client reads it.
struct StormBoard {
  /// A departure as the board shows it.
  struct Row: Hashable, CustomStringConvertible {
    var tripID: String
    var stopID: String
    var sequence: Int
    /// Nothing if nobody planned it: then the answer repeats the prediction.
    var scheduled: Int64?
    var predicted: Int64?
    var delay: Int?
    var isCancelled: Bool
    var reason: String?
    var platform: String?
    var previousPlatform: String?
    var isExtra: Bool

    var description: String {
      "\(tripID) \(stopID) #\(sequence) sched \(scheduled ?? 0) pred \(predicted ?? 0)"
        + " delay \(delay.map(String.init) ?? "-") \(isCancelled ? reason ?? "?" : "runs")"
        + " pl \(platform ?? "-")<\(previousPlatform ?? "-") \(isExtra ? "extra" : "")"
    }
  }

  let status: Int
  let headers: HTTPFields
  let json: [String: Any]
  /// All members but clocks, ages, request ids and what is said of the source's last answers.
  let visible: Data

  init(_ answer: ServiceProbe.Answer) throws {
    status = answer.status
    headers = answer.headers
    json = answer.json
    visible = answer.status == 200 ? try Self.visible(answer.json) : Data()
  }

  var meta: [String: Any] { json["meta"] as? [String: Any] ?? [:] }
  var rt: [String: Any] { json["rt"] as? [String: Any] ?? [:] }
  var departures: [[String: Any]] { json["departures"] as? [[String: Any]] ?? [] }
  var entityTag: String { headers[.eTag] ?? "" }

  /// An instant among the members.
  static func instant(_ value: Any?) -> Double? { (value as? String).flatMap { InstantText.read($0) } }

  /// The departures.
  var rows: [Row] {
    departures.map { departure in
      let flags = departure["flags"] as? [String] ?? []
      let predicted = Self.instant(departure["realtimeDeparture"]).map { Int64($0) }
      let scheduled = Self.instant(departure["scheduledDeparture"]).map { Int64($0) }
      let delay = departure["rawDelaySec"] as? Int
      let isPlanned = predicted == nil || delay != nil
      return Row(
        tripID: departure["trip_id"] as? String ?? "",
        stopID: departure["stop_id"] as? String ?? "",
        sequence: departure["stop_sequence"] as? Int ?? -1,
        scheduled: isPlanned ? scheduled : nil,
        predicted: predicted,
        delay: delay,
        isCancelled: departure["cancelled"] as? Bool ?? false,
        reason: departure["cancelReasonCode"] as? String,
        platform: departure["platform"] as? String,
        previousPlatform: departure["previousPlatform"] as? String,
        isExtra: flags.contains("EXTRA_SERVICE")
      )
    }
  }

  private static let clocks: [String: Set<String>] = [
    "meta": [
      "serverTime", "requestId", "totalBackendMs", "rtFetchedAt", "rtLastPollAt", "rtCacheAgeMs",
      "rtPollAgeMs", "alertsFetchedAt", "alertsCacheAgeMs", "nextExpectedAt", "entityTag",
    ],
    "rt": [
      "fetchedAt", "cacheFetchedAt", "cacheAgeMs", "ageMs", "ageSeconds", "lastPollAt",
      "lastSuccessfulPollAt", "pollAgeMs", "pollAgeSeconds", "payloadBytes", "lastError",
    ],
    "alerts": ["fetchedAt", "cacheFetchedAt", "cacheAgeMs", "ageSeconds", "lastError"],
  ]

  private static func visible(_ json: [String: Any]) throws -> Data {
    var seen = json
    for (name, members) in clocks {
      var object = seen[name] as? [String: Any] ?? [:]
      for member in members { object[member] = nil }
      if name == "meta", var timetable = object["timetable"] as? [String: Any] {
        timetable["importedAt"] = nil
        object["timetable"] = timetable
      }
      seen[name] = object
    }
    seen["departures"] = (json["departures"] as? [[String: Any]] ?? []).map { departure in
      var departure = departure
      departure["realtimeAt"] = nil
      return departure
    }
    if var noService = json["noService"] as? [String: Any] {
      noService["window"] = nil
      seen["noService"] = noService
    }
    return try JSONSerialization.data(withJSONObject: seen, options: [.sortedKeys])
  }
}
