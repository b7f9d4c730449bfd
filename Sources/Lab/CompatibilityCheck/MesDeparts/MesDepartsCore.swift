import ConditionalHTTP
import HTTPTypes
import StrictJSON

/// The iOS core: a search, a board with and without alerts, and a refresh every 20 s.
///
/// Any other status than 200 is an error. Nothing is sent twice.
struct MesDepartsCore {
  let script: MesDepartsScript
  let run: ClientRun

  private let client = "iOS"
  private static let refresh = Duration.seconds(20)

  private static let fields: HTTPFields = {
    var fields: HTTPFields = [
      .accept: "application/json", .cacheControl: "no-store, no-cache, max-age=0",
    ]
    if let pragma = HTTPField.Name("Pragma") { fields[pragma] = "no-cache" }
    return fields
  }()

  func play() async {
    let search = ClientRequest(
      .get,
      "/api/stops/search",
      query: [("q", script.query), ("limit", "20")],
      fields: Self.fields,
      timeout: .seconds(8)
    )
    var stop = script.stop
    await run.step(client, search, expects: "200, and a stop that can be opened") { check, answer in
      guard check.status(200, of: answer),
        let value = check.shape(MesDepartsShapes.iosSearch, of: answer)
      else { return }
      let found = (value["stops"]?.list ?? []).lazy.compactMap(Self.stopId).first
      check.expect(found != nil, "no stop of the answer has an id")
      stop = stop ?? found
    }
    guard let stop else { return }
    var last = await board(stop, alerts: true, after: nil)
    last = await board(stop, alerts: false, after: last)
    for _ in 0..<script.polls {
      guard (try? await run.wait(Self.refresh)) != nil else { return }
      last = await board(stop, alerts: true, after: last)
    }
  }

  /// Opens a board; gives the server's time.
  private func board(_ stop: String, alerts: Bool, after before: String?) async -> String? {
    let request = ClientRequest(
      .get,
      "/api/stationboard",
      query: [("stop_id", stop), ("limit", "20"), ("include_alerts", alerts ? "1" : "0")],
      fields: Self.fields,
      timeout: .seconds(12)
    )
    var time = before
    await run.step(client, request, expects: "200, and a board of its types") { check, answer in
      guard check.status(200, of: answer),
        let value = check.shape(MesDepartsShapes.iosBoard, of: answer)
      else { return }
      for name in ["serverTime", "responseMode", "rtStatus"] {
        check.expect(value["meta"]?[name]?.string != nil, "meta.\(name): expected for the label")
      }
      let count = value["departures"]?.list?.count ?? 0
      check.expect(count <= 20, "departures: expected at most 20, found \(count)")
      guard let now = value["meta"]?["serverTime"]?.string else { return }
      if let before, let old = InstantText.read(before), let new = InstantText.read(now) {
        check.expect(new >= old, "meta.serverTime: goes back from \(before) to \(now)")
      }
      time = now
    }
    return time
  }

  /// The id that the core opens a stop by.
  private static func stopId(_ stop: JSONValue) -> String? {
    ["stationId", "group_id", "stop_id", "id", "raw_stop_id", "parent_station"].lazy
      .compactMap { stop[$0]?.string }.first { !$0.allSatisfy(\.isWhitespace) }
  }
}
