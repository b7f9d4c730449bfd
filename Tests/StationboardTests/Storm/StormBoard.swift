import ConditionalHTTP
import HTTPTypes
import Testing

/// An answer of the stationboard as a client reads it.
struct StormBoard {
  /// A departure as the board shows it.
  struct Row: Hashable, CustomStringConvertible {
    var tripID: String
    var stopID: String
    var sequence: Int
    /// `nil` if not scheduled: then the response repeats the prediction.
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
  let visible: [UInt8]

  init(_ answer: ServiceProbe.Answer) {
    status = answer.status
    headers = answer.headers
    json = answer.json
    visible = VisibleBytes.of(answer.body)
  }

  var meta: [String: Any] { json["meta"] as? [String: Any] ?? [:] }
  var rt: [String: Any] { json["rt"] as? [String: Any] ?? [:] }
  var departures: [[String: Any]] { json["departures"] as? [[String: Any]] ?? [] }
  var entityTag: String { headers[.eTag] ?? "" }

  /// An instant among the members.
  static func instant(_ value: Any?) -> Double? {
    (value as? String).flatMap { InstantText.read($0) }
  }

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
}
