import FeedSimulation
import GTFSRealtime
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Serving

/// Publishes a world over HTTP, as a producer of realtime feeds does.
struct FeedServer {
  let host: String
  let port: Int
  let stage: FeedStage
  let clock: ServiceClock
  let logger: Logger
  let listener: ServerListener
  /// In how many parts the trip updates are published as well; 1 for none.
  var shares = 1
  /// The trouble that is switched on.
  var trouble: @Sendable () -> FeedTrouble? = { nil }
  /// Is called with each publication that was answered whole.
  var onAnswer: @Sendable (FeedAnswer) -> Void = { _ in }

  /// Serves until the process receives SIGINT or SIGTERM, then finishes pending responses.
  ///
  /// - Parameter onRunning: Called with the port once it is open.
  /// - Throws: A socket error, such as a port that is in use.
  func run(onRunning: @escaping @Sendable (Int) -> Void) async throws {
    try await application(onRunning: onRunning).runService()
  }

  /// Returns what serves, to be run together with other services.
  ///
  /// - Parameter onRunning: Called with the port once it is open.
  /// - Returns: The application.
  func application(onRunning: @escaping @Sendable (Int) -> Void) -> some ApplicationProtocol {
    let listening = ListeningPort(port)
    let publisher = FeedPublisher()
    return Application(
      router: router(publisher),
      server: listener.server(clock: clock),
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port),
        serverName: "freshet",
        availableConnectionsDelegate: listener.availability
      ),
      services: [
        FeedStageWatch(stage: stage), FeedAhead(stage: stage, clock: clock, publisher: publisher),
      ],
      onServerRunning: { channel in
        if let number = channel.localAddress?.port { listening.number = number }
        onRunning(listening.number)
      },
      logger: logger
    )
  }

  private func router(_ publisher: FeedPublisher) -> Router<BasicRequestContext> {
    let router = Router(
      context: BasicRequestContext.self,
      options: [.autoGenerateHeadEndpoints]
    )
    let routes = RouteMethods()
    router.add(middleware: TraceMiddleware())
    router.add(middleware: ProblemMiddleware(routes: routes))
    router.add(middleware: RequestHeadMiddleware())
    for stream in FeedStream.allCases {
      router.get("\(stream.rawValue).pb") { request, _ in
        try await publication(stream, .protobuf, request, publisher)
      }
      router.get("\(stream.rawValue).json") { request, _ in
        try await publication(stream, .json, request, publisher)
      }
    }
    if shares > 1 {
      for share in FeedShare.all(of: shares) {
        router.get("\(FeedStream.tripUpdates.rawValue)-\(share.number).pb") { request, _ in
          try await publication(.tripUpdates, .protobuf, request, publisher, share: share)
        }
      }
    }
    router.get("truth.json") { request, _ in
      try GroundTruthAnswer(request, world: stage.world, now: clock.now).response()
    }
    routes.learn(from: router)
    return router
  }

  private func publication(
    _ stream: FeedStream,
    _ form: FeedPublisher.Form,
    _ request: Request,
    _ publisher: FeedPublisher,
    share: FeedShare? = nil
  ) async throws -> Response {
    let world = stage.world
    let whole = world.answer(stream, at: milliseconds)
    let answer = trouble().map { whole.inTrouble($0) } ?? whole
    if answer.wait > 0 { try await clock.sleep(for: Double(answer.wait) / 1_000) }
    let sheet =
      answer.status == 200
      ? try await publisher.sheet(answer, of: world, as: form, share: share) : nil
    let reply = FeedReply(
      answer,
      digest: sheet?.digest ?? FeedDigest([]),
      contentType: form == .json ? "application/json" : "application/x-protobuf",
      request: request.headers,
      at: milliseconds
    )
    if answer.fault == nil { onAnswer(answer) }
    guard reply.hasContent else {
      return Response(status: reply.head.status, headers: reply.head.headerFields)
    }
    return Response(
      status: reply.head.status,
      headers: reply.head.headerFields,
      body: .init(byteBuffer: sheet?.content ?? ByteBuffer(string: FeedReply.refusal))
    )
  }

  /// The service clock, in milliseconds since 1970-01-01T00:00:00Z.
  private var milliseconds: Int64 { Int64((clock.now * 1_000).rounded(.down)) }
}

/// Switches to new imports while the server runs.
private struct FeedStageWatch: Service {
  let stage: FeedStage

  func run() async throws {
    await cancelWhenGracefulShutdown { await stage.watch() }
  }
}

/// Renders each publication before it appears, so that no request waits for it.
private struct FeedAhead: Service {
  let stage: FeedStage
  let clock: ServiceClock
  let publisher: FeedPublisher

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskGroup { group in
        for stream in FeedStream.allCases { group.addTask { await follow(stream) } }
      }
    }
  }

  private func follow(_ stream: FeedStream) async {
    while !Task.isCancelled {
      let world = stage.world
      let now = Int64(clock.now * 1_000)
      let next = world.tick(stream, at: now).nextInstant
      let coming = world.answer(stream, at: next)
      if coming.status == 200 { _ = try? await publisher.sheet(coming, of: world, as: .protobuf) }
      // At least a millisecond, so that a due publication does not cause a busy loop.
      guard (try? await clock.sleep(until: max(Double(next) / 1_000, clock.now + 0.001))) != nil
      else { return }
    }
  }
}
