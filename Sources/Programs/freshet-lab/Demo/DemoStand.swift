import Commands
import Demonstration
import FeedSimulation
import Foundation
import GTFS
import Logging
import NIOCore
import ServiceLifecycle
import Serving
import StationboardServer
import Synchronization

/// A demonstration: its producer, server, agents, proxy and panel, from the first file to the last process.
struct DemoStand: Sendable {
  let options: DemoOptions
  let programs: DemoPrograms
  let folder: DemoFolder

  /// The stop that is shown, which every sample network has.
  private static let stop = "Parent8501120"

  /// Makes everything, prints the addresses, and waits until the task is canceled; then ends all processes.
  ///
  /// - Throws: ``CommandFailure`` if something cannot be made, or the server ends by itself.
  func run() async throws {
    say("Making a demonstration in \(folder.path)\n")
    do {
      let repository = try await prepare()
      try await play(repository)
    } catch {
      folder.killChildren()
      throw error
    }
  }

  private func say(_ text: String) { Terminal.announce(text) }

  // MARK: Files

  /// Writes and imports the network, and makes the repository.
  private func prepare() async throws -> ScratchRepository {
    say(
      "  writing a network of \(Quantity.count(options.stops)) stops, with a timetable for today\n"
    )
    try await finish(
      programs.laboratory,
      ["sample", "--stops", String(options.stops), "--around-the-clock", "--out", folder("feed")]
    )
    say("  importing it\n")
    try await finish(programs.freshet, ["import", folder("feed"), "--data", folder("data")])
    say("  making a repository with a worktree for each of \(options.agents) agents\n")
    return try await ScratchRepository(in: folder.work, count: options.agents) {
      try await finish(programs.git, $0)
    }
  }

  /// Runs a program to its end.
  private func finish(_ program: String, _ arguments: [String]) async throws {
    try Task.checkCancellation()
    let display = ProgressDisplay()
    defer { display.finish() }
    display.show("\((program as NSString).lastPathComponent) \(arguments.first ?? "")")
    let log = folder("setup.log")
    let child = try ChildProcess(
      program,
      arguments,
      environment: programs.environment,
      folder: folder.path,
      log: log
    )
    folder.note(child)
    let code = await child.ended() ?? 0
    if Task.isCancelled { await child.end(within: DemoLimits.endSeconds) }
    folder.forget(child)
    try Task.checkCancellation()
    guard code == 0 else {
      let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
      throw CommandFailure(
        "freshet-lab demo: \(program) \(arguments.first ?? ""): ended with \(code):\n\(text)",
        .software
      )
    }
  }

  // MARK: Processes

  private func play(_ repository: ScratchRepository) async throws {
    let logger = Logger(label: "freshet")
    let state = DemoState()
    let feed = DemoPort()
    let panel = DemoPort()
    let control = DemoControl(state: state, books: options.books)
    var configuration = ServiceGroupConfiguration(
      services: [
        .init(service: try producer(state, logger).application { feed.open($0) }),
        .init(service: control.application(logger: logger) { panel.open($0) }),
      ],
      logger: logger
    )
    configuration.maximumGracefulShutdownDuration = .seconds(DemoLimits.endSeconds)
    let services = ServiceGroup(configuration: configuration)
    // Not canceled with this task: the server still asks while it ends.
    let serving = Task {
      defer {
        feed.close()
        panel.close()
      }
      try await services.run()
    }
    let result: Result<Void, any Error>
    do {
      let (feed, panel) = (try await feed.number, try await panel.number)
      try await play(repository, state, control, feed: feed, panel: panel)
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await services.triggerGracefulShutdown()
    try await serving.value
    try result.get()
  }

  private func play(
    _ repository: ScratchRepository,
    _ state: DemoState,
    _ control: DemoControl,
    feed: Int,
    panel: Int
  ) async throws {
    let insertion = PanelInsertion(origin: "http://127.0.0.1:\(panel)")
    let proxy = try await openProxy(insertion)
    control.open(panel: panel, pages: proxy.port)
    let server = DemoServer(programs, folder, arguments: serveArguments(feed: feed))
    let agents = DemoAgents(programs, folder, worktrees: repository.worktrees)
    let driver = DemoDriver(
      state: state,
      server: server,
      agents: agents,
      repository: repository,
      proxy: proxy
    )
    control.drive(driver)
    do {
      try await show(server, agents, proxy, panel: panel)
    } catch {
      await end(server, agents, proxy)
      throw error
    }
    await end(server, agents, proxy)
  }

  /// Starts server and agents, prints the addresses, and waits until one of them ends or the task is canceled.
  private func show(
    _ server: DemoServer,
    _ agents: DemoAgents,
    _ proxy: PageProxy,
    panel: Int
  ) async throws {
    say("  starting the server and the agents\n")
    let display = ProgressDisplay()
    defer { display.finish() }
    display.show("waiting for the server")
    let port = try await server.start()
    proxy.connect(to: port)
    try agents.start()
    display.show("waiting for realtime")
    try await DemoServer.hasRealtime(port, at: Self.stop)
    display.finish()
    announce(pages: proxy.port, panel: panel)
    try await withThrowingTaskGroup { group in
      group.addTask { try await server.watch() }
      group.addTask { try await agents.watch() }
      group.addTask { while true { try await Task.sleep(for: .seconds(3_600)) } }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func end(_ server: DemoServer, _ agents: DemoAgents, _ proxy: PageProxy) async {
    await proxy.shutdown()
    ScratchRepository.release(in: folder.work)
    await agents.end()
    await server.end()
  }

  private func producer(_ state: DemoState, _ logger: Logger) throws -> FeedServer {
    let store: FeedStore
    do throws(FeedError) {
      store = try FeedStore(folder: DataFolder(path: folder("data")), logger: logger)
    } catch {
      throw CommandFailure("freshet-lab demo: \(error.message)", .software)
    }
    var world = FeedWorld.Options()
    world.scenario = .rush
    world.period = Int64((options.period * 1_000).rounded())
    guard let key = store.feeds.first?.entry.key,
      let stage = FeedStage(store: store, key: key, options: world)
    else { throw CommandFailure("freshet-lab demo: the timetable is gone", .software) }
    return FeedServer(
      host: "127.0.0.1",
      port: 0,
      stage: stage,
      clock: ServiceClock(),
      logger: logger,
      listener: ServerListener(),
      trouble: { state.producer },
      onAnswer: { state.received($0) }
    )
  }

  /// Opens the proxy on the port that was asked for, or on a free one if it is taken.
  private func openProxy(_ insertion: PanelInsertion) async throws -> PageProxy {
    do {
      return try await PageProxy.open(port: options.port, inserting: insertion)
    } catch let error as IOError where error.errnoCode == EADDRINUSE && options.port != 0 {
      say("  port \(options.port) is taken; the pages get another one\n")
      return try await PageProxy.open(port: 0, inserting: insertion)
    } catch {
      throw CommandFailure(
        "freshet-lab demo: port \(options.port): \(ListenFailure.text(error))",
        ListenFailure.exit(error)
      )
    }
  }

  private func serveArguments(feed: Int) -> [String] {
    let address = "http://127.0.0.1:\(feed)"
    return [
      "--data", folder("data"), "--trip-updates", "\(address)/trip-updates.pb",
      "--vehicle-positions", "\(address)/vehicle-positions.pb", "--alerts", "\(address)/alerts.pb",
      "--workspaces", folder.work, "--jobs", folder("jobs"),
      "--claude-home", folder("agents/claude"), "--codex-home", folder("agents/codex"),
      "--agent-logs", folder("agents/agents"), "--log-level", "warning",
    ]
  }

  private func announce(pages: Int, panel: Int) {
    let origin = "http://127.0.0.1:\(pages)"
    say(
      """

      Departures  \(origin)/?stop=\(Self.stop)
      Worktrees   \(origin)/workspaces
      Jobs        \(origin)/jobs

      Each page has a panel, Break something. The panel alone: http://127.0.0.1:\(panel)/
      Ctrl-C ends everything\(options.keep ? "" : " and removes the folder").

      """
    )
  }
}
