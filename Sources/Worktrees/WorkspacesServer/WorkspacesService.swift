import FreshResponses
import FreshnessServer
import HTTPTypes
package import Hummingbird
import NIOCore
import Serving
import Workspaces
package import WorktreeWatch

/// The workspaces' part of a server: its endpoints, on any router.
package struct WorkspacesService: Sendable {
  let watcher: WorktreeWatcher
  /// Shows the worktrees of other machines too; `nil` for none.
  let hub: WorkspaceHub?
  private let version: String
  let serving = ResourceServing(limits: .workspaces, observesShutdown: false)
  private let began = WatchClock.monotonic

  /// Creates the service.
  ///
  /// - Parameters:
  ///   - watcher: Watches the worktrees.
  ///   - version: The program's version.
  ///   - hub: Shows the worktrees of other machines in the watcher's store; `nil` for none.
  package init(watcher: WorktreeWatcher, version: String, hub: WorkspaceHub? = nil) {
    self.watcher = watcher
    self.version = version
    self.hub = hub
  }

  /// Watches until the task is cancelled.
  package func run() async {
    watcher.interest.expect()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await watcher.run() }
      if let hub { group.addTask { await hub.run() } }
      group.addTask {
        let actions = WorktreeActions(watcher: watcher)
        for await _ in watcher.store.ticks() where watcher.store.isReady { break }
        repeat {
          await actions.sweep()
        } while (try? await Task.sleep(for: .seconds(WatchLimits.sweepEvery))) != nil
      }
      await group.next()
      group.cancelAll()
    }
  }

  /// Ends all waits, so that the server can shut down, and after ``WatchLimits/endPatience`` the actions that continue.
  package func close() {
    serving.close()
    let watcher = watcher
    Task {
      try? await Task.sleep(for: .seconds(WatchLimits.endPatience))
      watcher.hurry()
    }
  }

  /// Ends every git that runs, after the server has shut down.
  package func endProcesses() async { await watcher.close() }

  /// The prefixes of the endpoints' paths.
  package static let prefixes = [
    "/v1/git/", "/v1/sessions/", "/v1/events", "/v1/batch", "/v1/info", "/v1/metrics",
    "/v1/machines",
  ]

  /// Adds the endpoints, only for clients that may talk to them.
  ///
  /// - Parameters:
  ///   - router: The router they are added to.
  ///   - access: The access rules.
  ///   - dialect: How clients of another system expect the responses; `nil` for native ones only.
  package func add(
    to router: Router<some RequestContext>,
    access: WorkspaceAccess,
    dialect: (any WorkspaceDialect)? = nil
  ) {
    add(
      to: router.group().add(middleware: WorkspaceAccessMiddleware(access)),
      ReadEndpoints(watcher: watcher, serving: serving, dialect: dialect)
    )
    // A machine has a token of its own, and reads nothing.
    let machines = MachineEndpoints(hub: hub)
    router.group().add(middleware: WorkspaceAccessMiddleware(access.withoutToken))
      .post("v1/machines/:name/report") { request, context in
        try await machines.report(context.parameters.get("name") ?? "", request)
      }
  }

  private func add(
    to router: some RouterMethods<some RequestContext>,
    _ reads: ReadEndpoints
  ) {
    let machines = MachineEndpoints(hub: hub)
    router.get("v1/machines") { _, _ in machines.list() }
    let actions = ActionEndpoints(watcher: watcher, reads: reads, hub: hub)
    let events = EventEndpoint(reads: reads, began: began)
    router.get("v1/git/worktrees") { request, _ in
      try await reads.answer(.worktrees(QueryItems(request)), request)
    }
    router.get("v1/git/worktrees/:id") { request, context in
      try await reads.answer(.item(context.parameters.get("id") ?? ""), request)
    }
    router.get("v1/git/worktrees/:id/diff") { request, context in
      try await reads.answer(.diff(context.parameters.get("id") ?? ""), request)
    }
    router.get("v1/sessions/workspace/:id") { request, context in
      try await reads.answer(.session(context.parameters.get("id") ?? ""), request)
    }
    router.post("v1/batch") { request, _ in try await reads.batch(request) }
    router.get("v1/events") { request, _ in try await events.answer(request) }
    add(actions, to: router)
    add(RestoreEndpoints(watcher: watcher, reads: reads), to: router)
    router.get("v1/info") { _, _ in
      ReadEndpoints.json(WorkspaceJSON.bytes(Self.info(version: version)))
    }
    router.get("v1/metrics") { _, _ in
      Response(
        status: .ok,
        headers: [.contentType: MetricsText.mediaType, .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: await metrics()))
      )
    }
  }

  /// The program: `Info`.
  static func info(version: String) -> [String: String] {
    ["version": version, "name": "freshet"]
  }

  private func add(_ actions: ActionEndpoints, to router: some RouterMethods<some RequestContext>) {
    router.post("v1/git/worktrees") { request, _ in try await actions.create(request) }
    router.post("v1/git/checkout/:owner/:name") { request, context in
      try await actions.checkout(
        context.parameters.get("owner") ?? "",
        context.parameters.get("name") ?? "",
        request
      )
    }
    router.delete("v1/git/worktrees/:id") { request, context in
      try await actions.delete(context.parameters.get("id") ?? "", request)
    }
    for operation in ["merge", "sync"] {
      router.get("v1/git/worktrees/:id/\(operation)/check") { _, context in
        try await actions.check(context.parameters.get("id") ?? "", operation)
      }
    }
    router.post("v1/git/worktrees/:id/merge") { request, context in
      try await actions.merge(context.parameters.get("id") ?? "", request)
    }
    router.post("v1/git/worktrees/:id/sync") { request, context in
      try await actions.sync(context.parameters.get("id") ?? "", request)
    }
    router.post("v1/git/worktrees/:id/refresh") { _, context in
      try await actions.refresh(context.parameters.get("id") ?? "")
    }
    router.post("v1/git/worktrees/:id/seen") { _, context in
      try await actions.seen(context.parameters.get("id") ?? "")
    }
    router.post("v1/git/worktrees/:id/trust") { request, context in
      try await actions.trust(context.parameters.get("id") ?? "", request)
    }
    router.delete("v1/git/worktrees/:id/trust") { _, context in
      try await actions.distrust(context.parameters.get("id") ?? "")
    }
    router.get("v1/git/branches/:name") { _, context in
      try await actions.branches(context.parameters.get("name") ?? "")
    }
    router.get("v1/git/branches/:name/:second") { _, context in
      let parts = ["name", "second"].map { context.parameters.get($0) ?? "" }
      return try await actions.branches(parts.joined(separator: "/"))
    }
  }

  private func add(
    _ restores: RestoreEndpoints,
    to router: some RouterMethods<some RequestContext>
  ) {
    router.get("v1/git/omissions") { _, _ in
      await restores.reads.firstScan()
      return ReadEndpoints.json(WorkspaceJSON.bytes(await restores.omissions()))
    }
    router.get("v1/git/refusals") { _, _ in
      ReadEndpoints.json(WorkspaceJSON.bytes(WorkspaceRefusal.all))
    }
    router.get("v1/git/restore") { _, _ in try await restores.list() }
    router.post("v1/git/restore/:id") { request, context in
      try await restores.restore(context.parameters.get("id") ?? "", request)
    }
    router.delete("v1/git/restore/:id") { _, context in
      try await restores.forget(context.parameters.get("id") ?? "")
    }
  }

  private func metrics() async -> String {
    let metrics = await watcher.metrics
    var text = MetricsText()
    text.add(
      "freshet_workspaces_repositories",
      .gauge,
      "Repositories that are known",
      Double(metrics.repositories)
    )
    text.add(
      "freshet_workspaces_worktrees",
      .gauge,
      "Worktrees that are known",
      Double(metrics.worktrees)
    )
    text.add(
      "freshet_workspaces_polled",
      .gauge,
      "Worktrees that are polled because their content cannot be watched",
      Double(metrics.polled)
    )
    text.add("freshet_workspaces_watches", .gauge, "Folders watched", Double(metrics.watches))
    text.add(
      "freshet_workspaces_events_total",
      .counter,
      "Events of watched folders",
      Double(metrics.events)
    )
    text.add(
      "freshet_workspaces_scans_total",
      .counter,
      "Scans of worktrees",
      Double(metrics.scans)
    )
    text.add(
      "freshet_workspaces_failures_total",
      .counter,
      "Looks that failed",
      Double(metrics.failures)
    )
    text.add(
      "freshet_workspaces_git_processes_total",
      .counter,
      "Git processes started",
      metrics.processes.sorted { $0.key < $1.key }
        .map { (labels: [("command", $0.key)], value: Double($0.value)) }
    )
    text.add(
      "freshet_workspaces_contained",
      .gauge,
      "Whether the kernel keeps git from starting programs",
      watcher.runner.isContained ? 1 : 0
    )
    text.add(
      "freshet_workspaces_waiting",
      .gauge,
      "Requests and streams that wait",
      Double(serving.waiters)
    )
    text.add(
      "freshet_workspaces_revision",
      .counter,
      "Changes so far",
      Double(watcher.store.revision)
    )
    hub?.write(to: &text)
    return text.text + serving.metrics.text
  }
}
