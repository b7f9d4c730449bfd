import Hummingbird
import Logging
import ServiceLifecycle
import Serving
import StationboardServer
import UnixSignals
import WebBoard

/// Puts the services together on one port.
struct BoardServer {
  let host: String
  let port: Int
  let store: FeedStore
  let clock: ServiceClock
  let logger: Logger
  /// The origins whose pages may read the API; empty for any.
  let origins: [String]
  /// The realtime sources; nothing without any.
  let realtime: RealtimeFeeds?
  /// What is slowed down on purpose.
  let faults: PhaseFaults

  /// Serves until the process is told to stop (SIGINT, SIGTERM), then lets running answers finish.
  ///
  /// - Parameter onRunning: Called with the port once it is open.
  /// - Throws: An error of the socket, such as a port that is taken.
  func run(onRunning: @escaping @Sendable (Int) -> Void) async throws {
    let listening = ListeningPort(port)
    let responses = ResponseCounter()
    let stationboard = StationboardService(
      store: store,
      clock: clock,
      port: listening,
      realtime: realtime,
      faults: faults,
      responses: responses
    )
    let application = Application(
      router: router(stationboard, responses),
      server: ServerLimits.http1,
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port),
        serverName: "freshet",
        availableConnectionsDelegate: ServerLimits.gate
      ),
      services: services,
      onServerRunning: { channel in
        if let number = channel.localAddress?.port { listening.number = number }
        onRunning(listening.number)
      },
      logger: logger
    )
    // The last is told to end first: those who wait for news are let go before the server waits for
    // its answers to end.
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [
          ServiceGroupConfiguration.ServiceConfiguration(service: application),
          ServiceGroupConfiguration.ServiceConfiguration(service: Closing(service: stationboard)),
        ],
        gracefulShutdownSignals: [.sigterm, .sigint],
        logger: logger
      )
    )
    try await group.run()
  }

  private var services: [any Service] {
    guard let realtime else { return [FeedWatch(store: store)] }
    return [FeedWatch(store: store), RealtimeWatch(feeds: realtime)]
  }

  private func router(
    _ stationboard: StationboardService,
    _ responses: ResponseCounter
  ) -> Router<BasicRequestContext> {
    let router = Router(
      context: BasicRequestContext.self,
      options: [.autoGenerateHeadEndpoints]
    )
    router.add(middleware: ResponseCounterMiddleware(responses))
    router.add(middleware: CompressionMiddleware())
    router.add(
      middleware: PublicReadMiddleware(
        apiVersion: StationboardService.apiVersion,
        origins: origins,
        exposed: StationboardService.exposedFields
      )
    )
    router.add(middleware: ProblemMiddleware())
    stationboard.add(to: router)
    WebBoardService().add(to: router)
    return router
  }
}

/// Lets go of everybody who waits for news when the server is told to end.
private struct Closing: Service {
  let service: StationboardService

  func run() async throws {
    try? await gracefulShutdown()
    service.close()
  }
}

/// Takes over new imports while the server runs.
private struct FeedWatch: Service {
  let store: FeedStore

  func run() async throws {
    await cancelWhenGracefulShutdown { await store.watch() }
  }
}

/// Polls the realtime sources while the server runs.
private struct RealtimeWatch: Service {
  let feeds: RealtimeFeeds

  func run() async throws {
    await cancelWhenGracefulShutdown { await feeds.run() }
  }
}
