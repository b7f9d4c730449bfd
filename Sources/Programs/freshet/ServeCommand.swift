import ArgumentParser
import Commands
import FeedRecording
import Foundation
import GTFS
import Hummingbird
import JobsServer
import Logging
import NIOTransport
import PostgresClient
import ServeSettings
import ServiceLifecycle
import Serving
import StationboardServer
import Timetable
import WebBoard

/// `freshet serve`.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve boards over HTTP: the API, the web board, and stop search.",
    discussion: """
        freshet serve --trip-updates https://example.org/trip-updates.pb
        freshet serve --workspaces ~/src --jobs ~/freshet-jobs
        freshet serve --config /etc/freshet/freshet.json
      """
  )

  @Option(
    help: ArgumentHelp(
      "A configuration file; what is given here wins over it.",
      valueName: "file"
    )
  )
  var config: String?

  @Option(help: "The address to listen on. Default: 127.0.0.1.")
  var host: String?

  @Option(help: "The port to listen on; 0 takes a free one. Default: 8080.")
  var port: Int?

  @OptionGroup var tls: TLSOptions

  @OptionGroup var proxies: ProxyOptions

  @OptionGroup var operation: OperationOptions

  @OptionGroup var data: DataOption

  @OptionGroup var realtime: RealtimeOptions

  @OptionGroup var time: ClockOptions

  @OptionGroup var jobs: JobsOptions

  @OptionGroup var database: DatabaseOption

  @OptionGroup var workspaces: WorkspaceOptions

  @Option(
    help: ArgumentHelp(
      "A file with a secret: boards carry receipts, by which freshet-lab report can tell recordings from forgeries.",
      valueName: "file"
    )
  )
  var receiptKey: String?

  @Option(
    help: ArgumentHelp(
      "The APIs of other apps to serve as well: \(Dialect.names).",
      valueName: "names"
    ),
    transform: DialectList.init
  )
  var speak: DialectList?

  @Option(help: "An origin whose pages may read the API, https://example.org. Default: any.")
  var allowOrigin: [String] = []

  @Option(
    help: "How much to log: trace, debug, info, notice, warning, error, critical. Default: info."
  )
  var logLevel: String?

  @Option(help: "The form of the log: text, json (one object a line). Default: text.")
  var logFormat: LogFormat?

  func validate() throws {
    guard (0...65_535).contains(port ?? 0) else { throw ValidationError("--port is 0 to 65535") }
    if let logLevel, Logger.Level(rawValue: logLevel) == nil {
      throw ValidationError("--log-level \"\(logLevel)\" is not a level")
    }
  }

  func run() async throws {
    let file = try config.map { try ConfigurationFile(path: $0) }
    let settings = file?.settings
    let host = host ?? settings?.host ?? "127.0.0.1"
    let port = port ?? settings?.port ?? 8_080
    let folder = data.folder(or: settings?.data)
    let level = (logLevel ?? settings?.logLevel).flatMap { Logger.Level(rawValue: $0) } ?? .info
    (logFormat ?? settings?.logFormat.flatMap { LogFormat(rawValue: $0) } ?? .text)
      .start(level: level)
    let logger = Logger(label: "freshet")
    let certificate = try tls.certificate(or: settings, socket: workspaces.socket)
    CertificateWatch.ignoreHangup(certificate)
    let files = try realtime.recordings()
    let workspaces = workspaces.completed(by: settings)
    let jobs = try jobs.completed(by: settings?.jobs)
    var limits = try Self.limits(settings)
    let budget = DescriptorBudget.raised()
    if let shortage = budget.shortage(DescriptorBudget.leastOfServer) {
      throw CommandFailure("freshet serve: \(shortage)", .system)
    }
    if budget.connections(limits.connections) < limits.connections {
      limits.connections = budget.connections(limits.connections)
      logger.notice(
        "fewer connections than the limit: the process may not have more open files (ulimit -n)",
        metadata: [
          "connections": "\(limits.connections)", "openFiles": "\(budget.descriptors)",
        ]
      )
    }
    let part = try workspaces.part(
      host: host,
      version: StationboardService.version,
      data: folder.path
    )
    let hasDatabase = try self.database.address(or: settings) != nil
    if jobs.libraryOwner != nil, !hasDatabase {
      throw ValidationError("--library-owner is for books in a database; name it with --database")
    }
    if jobs.libraryOwner != nil, jobs.jobs == nil {
      throw ValidationError("--library-owner is for the books of jobs; name a folder with --jobs")
    }
    let store: FeedStore
    do throws(FeedError) {
      if hasDatabase { try folder.prepare() }
      let added = (try? StaticSourceList(of: folder).all) ?? []
      let brings = try? file?.staticSources().isEmpty == false
      store = try FeedStore(
        folder: folder,
        mayBeEmpty: files.isEmpty && (!added.isEmpty || brings == true || hasDatabase),
        logger: logger
      )
    } catch {
      throw CommandFailure("freshet serve: \(error.message)", ProgramExit(error))
    }
    let replays: Replays
    do throws(FeedRecording.Failure) {
      replays = try Replays(files)
    } catch {
      throw CommandFailure("freshet serve: --replay \(error)", ProgramExit(error))
    }
    var sources = try realtime.sources() + replays.sources
    // A replay replaces all sources.
    if let file, files.isEmpty { sources += try file.sources(besides: sources) }
    if let file, file.isExposed {
      logger.warning(
        "a configuration file with credentials can be read by others; chmod 600, or name an environment variable",
        metadata: ["file": "\(file.path)"]
      )
    }
    let isShared = sources.contains(where: RealtimeSharing.shares)
    if jobs.jobs == nil, !isShared, !files.isEmpty, self.database.isNamed(besides: settings) {
      throw ValidationError(
        "--database keeps jobs, realtime and timetables, and a replay shares neither of the two: name a folder with --jobs"
      )
    }
    let database = try self.database.address(or: settings)
    let name = SharedServices.name("\(host):\(port)")
    let sharing =
      isShared
      ? try await SharedServices.realtime(in: database, name: name, logger: logger) : nil
    let transport = try NIOExchange()
    let clock = time.clock(from: replays.start)
    for line in replays.lines(clock: clock) { logger.warning("\(line)") }
    let (exchange, onTaken) = replays.exchange(otherwise: transport, clock: clock, logger: logger)
    // A replay is of another time; its history is kept only if an option says so.
    let historyDays = operation.historyDays(or: settings, isReplay: !files.isEmpty)
    let inbox = historyDays == nil ? nil : HistoryInbox()
    let feeds = RealtimeFeeds(
      sources: sources,
      store: store,
      exchange: exchange,
      clock: clock,
      hostClock: time.hostClock,
      logger: logger,
      leastPercent: realtime.threshold(besides: settings),
      history: inbox,
      sharing: sharing,
      onTaken: onTaken
    )
    let history = inbox.flatMap { inbox in
      historyDays.map { days in
        HistoryService(
          in: folder,
          feeds: store,
          realtime: sources.isEmpty ? nil : feeds,
          inbox: inbox,
          clock: clock,
          days: days,
          logger: logger
        )
      }
    }
    let rules = jobs.jobs == nil ? nil : try workspaces.jobsGuard(host: host)
    let operators = try operation.access(or: settings)
    let jobService: JobsService?
    do {
      jobService = try await jobs.service(
        in: database,
        rules: rules ?? OriginGuard(hosts: []),
        operators: operators,
        clock: clock,
        exchange: transport,
        logger: logger
      )
    } catch let error as PostgresSchema.Mismatch {
      throw CommandFailure("freshet serve: \(error)", .badData)
    } catch let error as PostgresError {
      throw CommandFailure("freshet serve: \(error)", ProgramExit(error))
    } catch {
      throw CommandFailure(
        "freshet serve: --jobs \(jobs.jobs ?? ""): \(error)",
        (error as? JobStoreError).map { ProgramExit($0) } ?? .cannotCreate
      )
    }
    // A replay is of the timetable that was recorded with it.
    let timetables =
      files.isEmpty
      ? try await SharedServices.timetables(
        in: database,
        folder: folder,
        clock: clock,
        name: name,
        logger: logger
      ) : nil
    let server = BoardServer(
      host: host,
      port: port,
      store: store,
      clock: clock,
      logger: logger,
      origins: allowOrigin.isEmpty ? settings?.allowedOrigins ?? [] : allowOrigin,
      realtime: sources.isEmpty ? nil : feeds,
      history: history,
      timetables: files.isEmpty
        ? StaticFeeds(
          folder: folder,
          configured: try file?.staticSources() ?? [],
          store: store,
          exchange: transport,
          clock: clock,
          every: realtime.staticInterval,
          sharing: timetables,
          logger: logger
        ) : nil,
      faults: try realtime.faults(),
      workspaces: part,
      socket: workspaces.socket,
      jobs: jobService,
      ease: limits.boardsPerSecond,
      receiptKey: try (receiptKey ?? settings?.receiptKey).map {
        try ReceiptKeyFile.read($0, for: "freshet serve: --receipt-key")
      },
      speak: Set(speak?.dialects ?? settings?.speak ?? []),
      acceptsBareJobIDs: jobs.jobsBareIds ?? true,
      acceptsQueryTokensOfApps: jobs.jobsQueryTokens ?? true,
      operators: operators,
      shutdown: operation.shutdown(or: settings),
      hasStaticSources: store.feeds.isEmpty
        && ((try? !StaticSourceList(of: folder).all.isEmpty) == true
          || (try? file?.staticSources().isEmpty) == false),
      admission: operation.admission(limits, or: settings),
      proxies: try proxies.trusted(or: settings),
      strictTransport: tls.strictTransport(or: settings),
      listener: ServerListener(limits: limits, certificate: certificate)
    )
    for notice in server.dialectNotices { logger.notice("\(notice)") }
    // Restricts the socket to its owner from the moment it is created.
    if workspaces.socket != nil { umask(0o077) }
    let claim: SocketLock?
    do throws(SocketLock.Refusal) {
      if let socket = workspaces.socket { claim = try SocketLock(socket) } else { claim = nil }
    } catch {
      throw CommandFailure(
        "freshet serve: --socket \(workspaces.socket ?? ""): \(error)",
        .unavailable
      )
    }
    defer { withExtendedLifetime(claim) {} }
    do {
      try await server.run { port in
        let shown = host.contains(":") ? "[\(host)]" : host
        let scheme = certificate == nil ? "http" : "https"
        announce(store, replays, folder, "\(scheme)://\(shown):\(port)")
        workspaces.announce()
      }
      await transport.shutdown()
    } catch {
      throw CommandFailure(
        "freshet serve: \(host):\(port): \(ListenFailure.text(error))",
        ListenFailure.exit(error)
      )
    }
  }

  /// Returns the default limits, as changed by a file.
  ///
  /// - Throws: `ValidationError` for an unknown limit.
  private static func limits(_ settings: ServeSettings?) throws -> ServerLimits {
    var limits = ServerLimits()
    for (name, value) in (settings?.limits ?? [:]).sorted(by: { $0.key < $1.key })
    where !limits.set(name, to: value) {
      throw ValidationError(
        "--config: $.limits.\(name): expected one of \(ServerLimits.names.joined(separator: ", "))"
      )
    }
    return limits
  }

  @Sendable
  private func announce(
    _ store: FeedStore,
    _ replays: Replays,
    _ folder: DataFolder,
    _ address: String
  ) {
    var text = "Serving \(address)/\n"
    if let socket = workspaces.socket { text = "Serving on the socket \(socket)\n" }
    for feed in store.feeds {
      let timetable = feed.timetable
      text += "  feed \(feed.entry.key): \(timetable.metadata.publisher ?? "no publisher named"),"
      text += " \(Quantity.count(timetable.stopCount)) stops,"
      text += " \(timetable.firstDay) to \(timetable.lastDay)\n"
    }
    if store.feeds.isEmpty {
      text += "  no timetable yet; import one with: freshet import FEED.zip"
      text += " --data \(folder.path)\n"
    }
    text += replays.announcement
    Terminal.write(text)
  }
}
