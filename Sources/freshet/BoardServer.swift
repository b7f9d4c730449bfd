import Hummingbird
import Logging
import ServiceLifecycle
import Serving
import StationboardServer
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

  /// Serves until the process is told to stop (SIGINT, SIGTERM), then lets running answers finish.
  ///
  /// - Parameter onRunning: Called with the port once it is open.
  /// - Throws: An error of the socket, such as a port that is taken.
  func run(onRunning: @escaping @Sendable (Int) -> Void) async throws {
    let listening = ListeningPort(port)
    let application = Application(
      router: router(port: listening),
      server: ServerLimits.http1,
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port),
        serverName: "freshet",
        availableConnectionsDelegate: ServerLimits.gate
      ),
      services: [FeedWatch(store: store)],
      onServerRunning: { channel in
        if let number = channel.localAddress?.port { listening.number = number }
        onRunning(listening.number)
      },
      logger: logger
    )
    try await application.runService()
  }

  private func router(port: ListeningPort) -> Router<BasicRequestContext> {
    let router = Router(
      context: BasicRequestContext.self,
      options: [.autoGenerateHeadEndpoints]
    )
    router.add(
      middleware: PublicReadMiddleware(
        apiVersion: StationboardService.apiVersion,
        origins: origins,
        exposed: StationboardService.exposedFields
      )
    )
    router.add(middleware: ProblemMiddleware())
    StationboardService(store: store, clock: clock, port: port).add(to: router)
    WebBoardService().add(to: router)
    return router
  }
}

/// Takes over new imports while the server runs.
private struct FeedWatch: Service {
  let store: FeedStore

  func run() async throws {
    await cancelWhenGracefulShutdown { await store.watch() }
  }
}
