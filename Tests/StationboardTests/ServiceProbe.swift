import ConditionalHTTP
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Serving
import StationboardServer
import WebBoard

/// Asks the service's router directly, without a socket: the near one of the two distances.
struct ServiceProbe {
  /// An answer, read whole.
  struct Answer {
    var status: Int
    var headers: HTTPFields
    var body: [UInt8]

    /// The body as a JSON object.
    var json: [String: Any] {
      (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:]
    }
  }

  private let responder: any HTTPResponder<BasicRequestContext>

  /// - Parameters:
  ///   - store: The feeds.
  ///   - now: The time of the service clock, seconds since 1970-01-01T00:00:00Z.
  init(store: FeedStore, now: Double = 1_795_503_600) {
    self.init(store: store, clock: ServiceClock(startingAt: now), realtime: nil)
  }

  /// - Parameters:
  ///   - store: The feeds.
  ///   - clock: The service clock.
  ///   - realtime: The realtime sources.
  ///   - faults: What is slowed down on purpose.
  ///   - ease: How many boards a second are answered with ease.
  init(
    store: FeedStore,
    clock: ServiceClock,
    realtime: RealtimeFeeds?,
    faults: PhaseFaults = PhaseFaults(),
    ease: Int = ServerLimits().boardsPerSecond
  ) {
    let router = Router(
      context: BasicRequestContext.self,
      options: [.autoGenerateHeadEndpoints]
    )
    let routes = RouteMethods()
    router.add(
      middleware: PublicReadMiddleware(
        apiVersion: StationboardService.apiVersion,
        exposed: StationboardService.exposedFields,
        routes: routes
      )
    )
    router.add(middleware: ProblemMiddleware(routes: routes))
    StationboardService(
      store: store,
      clock: clock,
      port: ListeningPort(0),
      realtime: realtime,
      faults: faults,
      ease: ease
    )
    .add(to: router)
    WebBoardService().add(to: router)
    routes.learn(from: router)
    responder = router.buildResponder()
  }

  /// Asks another router.
  init(_ responder: some HTTPResponder<BasicRequestContext>) { self.responder = responder }

  /// Sends a request.
  func get(
    _ path: String,
    method: HTTPRequest.Method = .get,
    headers: HTTPFields = [:]
  ) async throws -> Answer {
    let head = HTTPRequest(
      method: method,
      scheme: "http",
      authority: "test",
      path: path,
      headerFields: headers
    )
    let source = ApplicationRequestContextSource(
      channel: EmbeddedChannel(),
      logger: Logger(label: "test")
    )
    let response = try await responder.respond(
      to: Request(head: head, body: RequestBody(buffer: ByteBuffer())),
      context: BasicRequestContext(source: source)
    )
    let collector = BodyCollector()
    try await response.body.write(collector)
    return Answer(
      status: response.status.code,
      headers: response.headers,
      body: collector.bytes
    )
  }
}

/// Collects a response body.
private final class BodyCollector: ResponseBodyWriter, @unchecked Sendable {
  private(set) var bytes: [UInt8] = []

  func write(_ buffer: ByteBuffer) async throws { bytes += buffer.readableBytesView }

  func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
