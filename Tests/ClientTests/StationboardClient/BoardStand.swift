import ConditionalHTTP
import FreshnessTesting
import HTTPTypes

/// Responses of a stationboard server, written by hand.
enum BoardStand {
  /// A board of some lines, as JSON.
  static func board(
    _ stop: String = "8501120",
    lines: [String] = ["9"],
    status: String = "applied",
    second: Int = 0
  ) -> String {
    """
    {"station":{"id":"\(stop)","name":"Stop \(stop)","timezone":"Europe/Zurich"},\
    "departures":[\(lines.map(departure).joined(separator: ","))],"banners":[],"noService":null,\
    \(meta(status, second))}
    """
  }

  /// A departure as JSON.
  static func departure(_ line: String) -> String {
    """
    {"key":"trip-\(line)","line":"\(line)","scheduledDeparture":"2026-11-24T08:00:00+01:00",\
    "cancelled":false}
    """
  }

  /// Returns the metadata of a board.
  static func meta(_ status: String = "applied", _ second: Int = 0) -> String {
    """
    "meta":{"serverTime":"2026-11-24T07:00:0\(second).500Z","responseMode":"full","rtStatus":"\(status)",\
    "rtFetchedAt":"2026-11-24T06:59:50Z","rtCacheAgeMs":\(10_500 + second * 1_000),\
    "nextExpectedAt":"2026-11-24T07:00:20.000Z","nextExpectedQuantile":0.8,"nextExpectedSpreadMs":9900}
    """
  }

  /// A 200 with JSON.
  static func ok(_ json: String) -> ScriptedExchange.Reply {
    .answer(
      HTTPExchangeAnswer(
        head: HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]),
        body: Array(json.utf8)
      )
    )
  }

  /// Returns a response without a body.
  static func status(_ status: HTTPResponse.Status) -> ScriptedExchange.Reply {
    .answer(HTTPExchangeAnswer(head: HTTPResponse(status: status), body: []))
  }

  /// Yields until a condition holds; gives up after very many turns.
  @MainActor
  static func eventually(_ holds: () -> Bool) async -> Bool {
    // Sleeping instead of yielding: on a busy machine the awaited tasks would otherwise never run.
    let end = ContinuousClock.now + .seconds(300)
    while !holds() {
      guard ContinuousClock.now < end else { return false }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return true
  }
}
