import HTTPTypes
import Hummingbird
import NIOCore
import Serving

/// `GET /api/stationboard`.
struct BoardEndpoint {
  let store: FeedStore
  let clock: ServiceClock

  /// Answers a request; unless the stop is given by name, everything happens in memory.
  func answer(_ request: Request) async throws -> Response {
    let began = ContinuousClock().now
    let now = clock.now
    let requestId = RequestIdentity.of(request)
    let asked = try await BoardRequest(
      QueryItems(request),
      acceptLanguage: request.headers[.acceptLanguage],
      feeds: try store.serving()
    )
    let board = ScheduledBoard(asked, now: now)
    let spent = (ContinuousClock().now - began).components
    let elapsed = Double(spent.seconds) * 1_000 + Double(spent.attoseconds) / 1e15
    let body = BoardAnswer(board: board, requestId: requestId, now: now, elapsed: elapsed).body()
    var headers = HTTPFields()
    headers[.contentType] = "application/json; charset=utf-8"
    headers[.cacheControl] = "private, no-store, max-age=0, must-revalidate"
    headers[.pragma] = "no-cache"
    headers[.vary] = "Origin, Accept-Encoding, Accept-Language"
    headers[.mdRequestId] = requestId
    headers[.mdRealtimeApplied] = "0"
    headers[.mdRealtimeReason] = "disabled"
    headers[.mdRealtimeAge] = "-1"
    headers[.mdRealtimeStatus] = "disabled"
    headers[.mdBackendTotal] = "\((elapsed * 1_000).rounded() / 1_000)"
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
  }
}
