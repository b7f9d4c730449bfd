import BooksTrackDialect
import ConditionalHTTP
import Hummingbird
import JobsServer
import Logging
import MesDepartsDialect
import ServeSettings
import ServiceLifecycle
import Serving
import StationboardServer
import UnixSignals
import WebBoard
import WorkspacesServer

/// Combines the services on one port.
struct BoardServer {
  let host: String
  let port: Int
  let store: FeedStore
  let clock: ServiceClock
  let logger: Logger
  /// The origins whose pages may read the API; empty for any.
  let origins: [String]
  /// The realtime sources; `nil` without any.
  let realtime: RealtimeFeeds?
  /// The history of punctuality; `nil` if it is turned off.
  var history: HistoryService?
  /// Keeps the timetables current; `nil` during a replay.
  var timetables: StaticFeeds?
  /// The phases that are slowed down for tests.
  let faults: PhaseFaults
  /// The workspaces; `nil` if not served.
  var workspaces: WorkspacePart?
  /// The Unix socket to listen on instead of the port.
  var socket: String?
  /// The jobs; `nil` without a folder for them.
  let jobs: JobsService?
  /// The number of boards per second that the server handles easily.
  var ease = ServerLimits().boardsPerSecond
  /// The key of receipts for boards; `nil` for no receipts.
  var receiptKey: ReceiptKey?
  /// The APIs of other apps that are served besides the native one.
  var speak: Set<Dialect> = []
  /// Whether the id alone opens a job of another app.
  var acceptsBareJobIDs = true
  /// Whether a query may contain the token of a job that another app started.
  var acceptsQueryTokensOfApps = true
  /// The clients that may see what the server depends on.
  var operators = OperatorAccess(token: nil)
  /// How the server ends.
  var shutdown = ShutdownLimits()
  /// Whether a timetable is to come by itself.
  var hasStaticSources = false
  /// Admits requests by their clients; `nil` to admit all.
  var admission: AdmissionControl?
  /// The proxies whose word about clients counts.
  var proxies = TrustedProxies([])
  /// For how long browsers are asked to use HTTPS only, in seconds; 0 for not at all.
  var strictTransport = 0
  /// The listener of the port.
  let listener: ServerListener
  /// The signals that end the server.
  let signals: [UnixSignal]
  /// Ends the process when requests continue for too long at the end.
  let endProcess: @Sendable () -> Void

  /// Serves until a signal or the graceful shutdown of its task, then finishes pending responses.
  ///
  /// - Parameter onRunning: Called with the port once it is open.
  /// - Throws: A socket error, such as a port that is in use.
  func run(onRunning: @escaping @Sendable (Int) -> Void) async throws {
    let listening = ListeningPort(port)
    let responses = ResponseCounter()
    let routes = RouteMetrics()
    let health = HealthService(
      access: operators,
      clients: { [admission] in admission?.clients ?? [] },
      read: { await dependencies() }
    )
    let stationboard = StationboardService(
      store: store,
      clock: clock,
      port: listening,
      realtime: realtime,
      faults: faults,
      ease: ease,
      receiptKey: receiptKey,
      responses: responses,
      additions: speak.contains(.mesdeparts) ? .mesDeparts : [],
      history: history,
      sharing: timetables?.sharing,
      alsoServed: jobs.map { [$0.served] } ?? [],
      otherMetrics: { [jobs, listener, admission, timetables] metrics in
        timetables?.sharing?.write(to: &metrics)
        routes.write(to: &metrics)
        admission?.write(to: &metrics)
        listener.metrics.write(to: &metrics)
        listener.certificate?.write(to: &metrics)
        await jobs?.write(to: &metrics)
      }
    )
    let application = Application(
      router: router(stationboard, responses, routes, health),
      server: listener.server(
        sockets: socketAuthorizer,
        clock: clock,
        present: present,
        admission: admission,
        proxies: proxies,
        routes: routes
      ),
      configuration: ApplicationConfiguration(
        address: socket.map { .unixDomainSocket(path: $0) } ?? .hostname(host, port: port),
        serverName: "freshet",
        availableConnectionsDelegate: listener.availability
      ),
      services: services + [StationboardWork(service: stationboard), HealthWatch(health: health)],
      onServerRunning: { channel in
        if let number = channel.localAddress?.port { listening.number = number }
        onRunning(listening.number)
      },
      logger: logger
    )
    let lastResort = LastResort(limits: shutdown, logger: logger) { [workspaces, endProcess] in
      await workspaces?.service.endProcesses()
      endProcess()
    }
    // The last service is stopped first: long polls and streams are ended before the server waits
    // for pending responses.
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [
          ServiceGroupConfiguration.ServiceConfiguration(service: application),
          ServiceGroupConfiguration.ServiceConfiguration(
            service: Closing(service: stationboard, workspaces: workspaces, jobs: jobs)
          ),
          ServiceGroupConfiguration.ServiceConfiguration(service: lastResort),
          ServiceGroupConfiguration.ServiceConfiguration(
            service: Draining(health: health, limits: shutdown, logger: logger)
          ),
        ],
        gracefulShutdownSignals: signals,
        logger: logger
      )
    )
    defer { lastResort.cancel() }
    do {
      try await group.run()
    } catch {
      await workspaces?.service.endProcesses()
      throw error
    }
    await workspaces?.service.endProcesses()
  }

  private var services: [any Service] {
    var services: [any Service] = [FeedWatch(store: store)]
    if let timetables { services.append(TimetableWatch(feeds: timetables)) }
    if let realtime { services.append(RealtimeWatch(feeds: realtime)) }
    if let jobs { services.append(JobWork(service: jobs)) }
    if let workspaces { services.append(WorkspaceWatch(part: workspaces)) }
    if let certificate = listener.certificate {
      services.append(CertificateWatch(certificate: certificate, logger: logger))
    }
    return services
  }

  /// The beginnings of the paths whose answers are of the present, whatever the service clock shows.
  private var present: [String] {
    StationboardService.present
      + (workspaces == nil ? [] : WorkspacesService.prefixes + catnipPaths)
  }

  /// The path prefixes that are not public.
  private var closedPaths: [String] {
    (workspaces == nil ? [] : WorkspacesService.prefixes + catnipPaths)
      + (jobs == nil ? [] : JobsService.writablePaths + ["/v1/capabilities"])
      + (booksTrack == nil ? [] : BooksTrackDialectService.paths)
  }

  /// The services that are available but not configured.
  private var absent: [AbsentService] {
    var absent: [AbsentService] = []
    if workspaces == nil {
      let paths = WorkspacesService.prefixes + [WebBoardService.Part.workspaces.path]
      absent.append(absentPart(.workspaces, "worktrees", option: "--workspaces FOLDER", paths))
    }
    if jobs == nil {
      let paths = JobsService.writablePaths + ["/v1/capabilities", WebBoardService.Part.jobs.path]
      absent.append(absentPart(.jobs, "jobs", option: "--jobs FOLDER", paths))
    }
    return absent
  }

  private func absentPart(
    _ part: WebBoardService.Part,
    _ name: String,
    option: String,
    _ paths: [String]
  ) -> AbsentService {
    AbsentService(
      name,
      option: option,
      paths: paths,
      page: (
        part.path,
        { request in
          let language = RequestLanguage.choose(
            parameter: nil,
            acceptLanguage: request.headers[.acceptLanguage]
          )
          return WebBoardService.page(insteadOf: part, option: option, language: language)
        }
      )
    )
  }

  private func router(
    _ stationboard: StationboardService,
    _ responses: ResponseCounter,
    _ metrics: RouteMetrics,
    _ health: HealthService
  ) -> Router<ClientContext> {
    let router = Router(
      context: ClientContext.self,
      options: [.autoGenerateHeadEndpoints]
    )
    let routes = RouteMethods()
    router.add(middleware: TraceMiddleware())
    router.add(middleware: ResponseCounterMiddleware(responses))
    router.add(middleware: RouteMetricsMiddleware(metrics))
    router.add(middleware: DrainMiddleware(health))
    router.add(middleware: TrustedProxyMiddleware(proxies, isSecure: listener.certificate != nil))
    if strictTransport > 0 {
      router.add(middleware: StrictTransportMiddleware(seconds: strictTransport))
    }
    router.add(
      middleware: PublicReadMiddleware(
        apiVersion: StationboardService.apiVersion,
        origins: origins,
        exposed: StationboardService.exposedFields,
        hidden: closedPaths + (jobs == nil ? [] : ["/ws/"])
          + pages.map(\.path) + [WebBoardService.statusPath],
        routes: routes
      )
    )
    if let admission {
      // Compression is part of the work.
      router.add(
        middleware: AdmissionMiddleware(
          admission,
          programs: present,
          kept: ["/health", "/metrics"]
        )
      )
    }
    router.add(middleware: CompressionMiddleware())
    router.add(middleware: ProblemMiddleware(routes: routes, absent: absent))
    router.add(middleware: RequestHeadMiddleware())
    if let workspaces {
      workspaces.service.add(
        to: router,
        access: workspaces.access,
        dialect: catnipWording
      )
    }
    stationboard.add(to: router)
    health.add(to: router)
    // At addresses that both have it looks first.
    booksTrack?.add(to: router)
    jobs?.add(to: router)
    WebBoardService(
      parts: pages,
      language: { RequestLanguage.choose(parameter: $0, acceptLanguage: $1) }
    ).add(to: router)
    if speak.contains(.mesdeparts) { addMesDeparts(to: router, stationboard) }
    if speak.contains(.catnip), let workspaces { addCatnip(to: router, workspaces) }
    routes.learn(from: router, forms: jobs?.forms ?? [])
    return router
  }

  /// The services that have pages.
  private var pages: Set<WebBoardService.Part> {
    var pages: Set<WebBoardService.Part> = []
    if workspaces != nil { pages.insert(.workspaces) }
    if jobs != nil { pages.insert(.jobs) }
    return pages
  }
}

/// Ends all long polls and streams on shutdown.
private struct Closing: Service {
  let service: StationboardService
  let workspaces: WorkspacePart?
  let jobs: JobsService?

  func run() async throws {
    try? await gracefulShutdown()
    service.close()
    jobs?.close()
    workspaces?.service.close()
  }
}

/// Reads what the server depends on while it runs, also while it drains.
private struct HealthWatch: Service {
  let health: HealthService

  func run() async throws {
    await cancelWhenGracefulShutdown { await health.run() }
  }
}

/// Switches to new imports while the server runs.
private struct FeedWatch: Service {
  let store: FeedStore

  func run() async throws {
    await cancelWhenGracefulShutdown { await store.watch() }
  }
}

/// Asks the sources of timetables while the server runs.
private struct TimetableWatch: Service {
  let feeds: StaticFeeds

  func run() async throws {
    await cancelWhenGracefulShutdown { await feeds.run() }
  }
}

/// Keeps the history and the status while the server runs.
private struct StationboardWork: Service {
  let service: StationboardService

  func run() async throws {
    await cancelWhenGracefulShutdown { await service.run() }
  }
}

/// Runs jobs while the server runs.
private struct JobWork: Service {
  let service: JobsService

  func run() async throws {
    try await cancelWhenGracefulShutdown { try await service.run() }
  }
}

/// Polls the realtime sources while the server runs.
private struct RealtimeWatch: Service {
  let feeds: RealtimeFeeds

  func run() async throws {
    await cancelWhenGracefulShutdown { await feeds.run() }
  }
}

/// Watches worktrees while the server runs.
private struct WorkspaceWatch: Service {
  let part: WorkspacePart

  func run() async throws {
    await cancelWhenGracefulShutdown { await part.service.run() }
  }
}
