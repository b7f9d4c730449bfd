import ArgumentParser
import BookLibrary
import Commands
import ConditionalHTTP
import FeedRecording
import Foundation
import GTFS
import JobsServer
import Logging
import PostgresClient
import ServeSettings
import Serving
import StationboardServer
import Storage
import Timetable
import UnixSignals

/// What a server meets that its settings do not decide: tests give their own, and nothing else is different in them.
struct ServerEdges: Sendable {
  /// Sends the requests to sources and to other services; its creator shuts it down.
  var exchange: any HTTPExchange & HTTPSending & HTTPStreaming
  /// The service clock; `nil` for the one of the options.
  var clock: ServiceClock?
  /// The signals that end the server.
  var signals: [UnixSignal] = [.sigterm, .sigint]
  /// Ends the process when requests continue for too long at the end.
  var endProcess: @Sendable () -> Void = { _exit(0) }
}

/// The composition root of `freshet serve`: makes every service, store, poller and limit of a server from its settings.
///
/// The command and the tests of the whole server both begin here.
struct ServerComposition {
  /// The services on one port.
  let server: BoardServer
  /// The folder of the timetables.
  let folder: DataFolder
  /// The recordings that replace realtime sources.
  let replays: Replays
  /// The options for workspaces, completed from the file.
  let workspaces: WorkspaceOptions

  /// Makes a server that does not listen yet.
  ///
  /// - Parameters:
  ///   - command: The options.
  ///   - file: The configuration file; an option wins over it.
  ///   - edges: What the server meets outside.
  /// - Throws: `ValidationError` or `CommandFailure` with what is wrong with the settings, or with what they name.
  init(
    _ command: ServeCommand,
    _ file: ConfigurationFile?,
    _ edges: ServerEdges
  ) async throws {
    let settings = file?.settings
    let logger = Logger(label: "freshet")
    let inputs = ServeInputs(command: command, file: file)
    let (host, port, folder) = (inputs.host, inputs.port, inputs.folder)
    let workspaces = inputs.workspaces
    let certificate = try inputs.certificate()
    let files = try command.realtime.recordings()
    let jobs = try inputs.jobs()
    let limits = try Self.fitting(try inputs.limits(), logger)
    let part = try inputs.worktrees()
    let database = try inputs.database()
    let jobRules = try inputs.jobRules()
    let proxies = try inputs.proxies()
    let receiptKey = try inputs.receiptKey()
    let operators = try inputs.operators()
    // A replay replaces all sources.
    var sources = try command.realtime.sources()
    if let file, files.isEmpty { sources += try file.sources(besides: sources) }
    let configured = files.isEmpty ? try file?.staticSources() ?? [] : []
    let faults = try command.realtime.faults()
    let replays: Replays
    do throws(FeedRecording.Failure) {
      replays = try Replays(files)
    } catch {
      throw CommandFailure("freshet serve: --replay \(error)", ProgramExit(error))
    }
    sources += replays.sources
    if let file, file.isExposed {
      logger.warning(
        "a configuration file with credentials can be read by others; chmod 600, or name an environment variable",
        metadata: ["file": "\(file.path)"]
      )
    }
    let isShared = sources.contains(where: RealtimeSharing.shares)
    if jobs.jobs == nil, !isShared, !files.isEmpty, command.database.isNamed(besides: settings) {
      throw ValidationError(
        "--database keeps jobs, realtime and timetables, and a replay shares neither of the two: name a folder with --jobs"
      )
    }
    // All settings are validated: only from here on does the server create files.
    let store = try Self.store(
      in: folder,
      mayBeEmpty: files.isEmpty && (database != nil || Self.brings(configured, folder)),
      isPrepared: database != nil || inputs.needsFolder,
      logger
    )
    let name = SharedServices.name("\(host):\(port)")
    let schemas: [PostgresSchema?] = [
      jobs.jobs == nil ? nil : .jobs(), isShared ? .realtime() : nil,
      files.isEmpty ? .timetables() : nil,
    ]
    let answers = try await SharedServices.answers(
      database,
      with: schemas.compactMap(\.self),
      logger
    )
    let sharing =
      isShared ? database.map { RealtimeSharing($0, name: name, logger: logger) } : nil
    let clock = edges.clock ?? command.time.clock(from: replays.start)
    for line in replays.lines(clock: clock) { logger.warning("\(line)") }
    let (exchange, onTaken) = replays.exchange(
      otherwise: edges.exchange,
      clock: clock,
      logger: logger
    )
    // A replay is of another time; its history is kept only if an option says so.
    let historyDays = command.operation.historyDays(or: settings, isReplay: !files.isEmpty)
    let inbox = historyDays == nil ? nil : HistoryInbox()
    let feeds = RealtimeFeeds(
      sources: sources,
      store: store,
      exchange: exchange,
      clock: clock,
      hostClock: command.time.hostClock,
      logger: logger,
      leastPercent: command.realtime.threshold(besides: settings),
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
    let jobService = try await Self.service(
      of: jobs,
      in: database,
      answers: answers,
      rules: jobRules,
      operators,
      clock,
      edges.exchange,
      logger
    )
    // A replay is of the timetable that was recorded with it.
    let shared =
      files.isEmpty
      ? database.map { address in
        TimetableSharing(address, folder: folder, clock: clock, name: name, logger: logger)
      } : nil
    let timetables =
      files.isEmpty
      ? StaticFeeds(
        folder: folder,
        configured: configured,
        store: store,
        exchange: edges.exchange,
        clock: clock,
        every: command.realtime.staticInterval,
        sharing: shared,
        logger: logger
      ) : nil
    server = BoardServer(
      host: host,
      port: port,
      store: store,
      clock: clock,
      logger: logger,
      origins: command.allowOrigin.isEmpty ? settings?.allowedOrigins ?? [] : command.allowOrigin,
      realtime: sources.isEmpty ? nil : feeds,
      history: history,
      timetables: timetables,
      faults: faults,
      workspaces: part,
      socket: workspaces.socket,
      jobs: jobService,
      ease: limits.boardsPerSecond,
      receiptKey: receiptKey,
      speak: Set(command.speak?.dialects ?? settings?.speak ?? []),
      acceptsBareJobIDs: jobs.jobsBareIds ?? true,
      acceptsQueryTokensOfApps: jobs.jobsQueryTokens ?? true,
      operators: operators,
      shutdown: command.operation.shutdown(or: settings),
      hasStaticSources: store.feeds.isEmpty && Self.brings(configured, folder),
      admission: command.operation.admission(limits, or: settings),
      proxies: proxies,
      strictTransport: command.tls.strictTransport(or: settings),
      listener: ServerListener(limits: limits, certificate: certificate),
      signals: edges.signals,
      endProcess: edges.endProcess
    )
    self.folder = folder
    self.replays = replays
    self.workspaces = workspaces
    for notice in server.dialectNotices { logger.notice("\(notice)") }
  }

  /// Serves until a signal or the graceful shutdown of its task.
  ///
  /// - Parameter onRunning: Called with the port once it is open.
  /// - Throws: `CommandFailure` if the server cannot listen.
  func run(onRunning: @escaping @Sendable (Int) -> Void) async throws {
    // Restricts the socket to its owner from the moment it is created.
    if server.socket != nil { umask(0o077) }
    let socketLock: SocketLock?
    do throws(SocketLock.Refusal) {
      socketLock = try server.socket.map { path throws(SocketLock.Refusal) in try SocketLock(path) }
    } catch {
      throw CommandFailure("freshet serve: --socket \(server.socket ?? ""): \(error)", .unavailable)
    }
    defer { withExtendedLifetime(socketLock) {} }
    do {
      // What cannot be listened at is found before anything starts.
      if server.socket == nil,
        let failure = await ListeningTrial.failure(host: server.host, port: server.port)
      {
        throw failure
      }
      try await server.run(onRunning: onRunning)
    } catch {
      throw CommandFailure(
        "freshet serve: \(server.host):\(server.port): \(ListenFailure.text(error))",
        ListenFailure.exit(error)
      )
    }
  }

  /// Returns the limits as they fit into what the process may open.
  ///
  /// - Throws: `CommandFailure` if the process may open too few files.
  private static func fitting(_ limits: ServerLimits, _ logger: Logger) throws -> ServerLimits {
    var limits = limits
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
    return limits
  }

  /// Whether a timetable is to come by itself.
  private static func brings(_ configured: [StaticSource], _ folder: DataFolder) -> Bool {
    let added = (try? StaticSourceList(of: folder).all) ?? []
    return !added.isEmpty || !configured.isEmpty
  }

  private static func store(
    in folder: DataFolder,
    mayBeEmpty: Bool,
    isPrepared: Bool,
    _ logger: Logger
  ) throws -> FeedStore {
    do throws(FeedError) {
      if isPrepared { try folder.prepare() }
      return try FeedStore(folder: folder, mayBeEmpty: mayBeEmpty, logger: logger)
    } catch {
      throw CommandFailure("freshet serve: \(error.message)", ProgramExit(error))
    }
  }

  private static func service(
    of jobs: JobsOptions,
    in database: PostgresAddress?,
    answers: Bool,
    rules: OriginGuard,
    _ operators: OperatorAccess,
    _ clock: ServiceClock,
    _ exchange: any HTTPExchange & HTTPSending,
    _ logger: Logger
  ) async throws -> JobsService? {
    do {
      return try await jobs.service(
        in: database,
        answers: answers,
        rules: rules,
        operators: operators,
        clock: clock,
        exchange: exchange,
        logger: logger
      )
    } catch let error as LibraryError {
      throw CommandFailure("freshet serve: --jobs: \(error)", error.exit)
    } catch {
      throw CommandFailure(
        "freshet serve: --jobs \(jobs.jobs ?? ""): \(ErrorText.of(error, showsPath: false))",
        (error as? JobStoreError).map { ProgramExit($0) } ?? .cannotCreate
      )
    }
  }
}
