public import ConditionalHTTP
import Foundation
public import Freshness
public import FreshnessRuntime
import HTTPTypes
import Synchronization
public import Workspaces

/// A server of workspaces for an app: its list, kept fresh once for any number of views; the details of the open
/// worktrees; and actions.
///
/// On an unmetered network, changes arrive through the server's event stream, with polling as the fallback; on a
/// metered one (``connectivity(_:)``) the client polls and prefetches nothing. ``usesEvents`` says which applies.
///
/// ```swift
/// let client = WorkspaceClient(server: try HTTPAddress("http://127.0.0.1:8080"), transport: exchange)
/// for await snapshot in client.lists() { show(snapshot.value?.byAttention, snapshot.failure) }
/// ```
public final class WorkspaceClient: Sendable {
  /// A transport for requests, content and streams.
  public typealias Transport = HTTPExchange & HTTPSending & HTTPStreaming

  /// The longest wait for what changes something: the server waits for git.
  public static let actionTimeout = Duration.seconds(150)
  /// The most worktrees whose last prefetch is remembered.
  public static let prefetchesRemembered = 16
  /// A diff is not fetched beforehand if the worktree has more changed paths than this.
  public static let prefetchedPaths = 50
  /// A diff is not fetched beforehand if the worktree has more commits of its own than this.
  public static let prefetchedCommits = 20

  private struct State {
    var connectivity = Connectivity.online
    var credentials = HTTPFields()
    var observers: [Int: AsyncStream<WorkspaceListResource>.Continuation] = [:]
    var lastObserver = 0
    /// The revisions at which worktrees were fetched beforehand, the oldest first.
    var prefetches: [(id: String, revision: Int64)] = []
  }

  /// The server.
  public let server: HTTPAddress
  /// The engine.
  public let freshness: FreshnessClient
  private let transport: any Transport
  private let streams: Bool
  private let clock: HostClock
  private let state = Mutex(State())

  /// Creates a client that asks nothing yet.
  ///
  /// - Parameters:
  ///   - server: The server.
  ///   - transport: Sends the requests and opens the stream.
  ///   - token: The server's bearer token.
  ///   - streams: Whether events bring changes on an unmetered network.
  ///   - connectivity: The state of the network.
  ///   - clock: The time.
  ///   - recorder: Receives each sample as it is taken (R29).
  public init(
    server: HTTPAddress,
    transport: any Transport,
    token: String? = nil,
    streams: Bool = true,
    connectivity: Connectivity = .online,
    clock: HostClock = .device(),
    recorder: (@Sendable (SampleRecord) -> Void)? = nil
  ) {
    self.server = server
    self.transport = transport
    self.streams = streams
    self.clock = clock
    freshness = FreshnessClient(
      exchange: transport,
      streaming: transport,
      policy: .workspaces,
      clock: clock,
      recorder: recorder
    )
    identify(by: token)
    self.connectivity(connectivity)
  }

  /// Changes the user, or signs out: the previous user's data is removed at once (R4, R19).
  ///
  /// - Parameter token: The server's bearer token.
  public func identify(by token: String?) {
    var fields = HTTPFields()
    if let token { fields[.authorization] = "Bearer \(token)" }
    state.withLock { $0.credentials = fields }
    freshness.identify(by: fields)
  }

  // MARK: The list

  /// The list as the network of now allows it.
  private static func list(
    _ server: HTTPAddress,
    _ streams: Bool,
    _ connectivity: Connectivity
  ) -> WorkspaceListResource {
    streams && connectivity != .metered
      ? WorkspaceListResource(server: server)
      : WorkspaceListResource(server: server, constants: .workspaces, streams: false)
  }

  private var resource: WorkspaceListResource {
    Self.list(server, streams, state.withLock { $0.connectivity })
  }

  /// Whether events bring the changes, when they can: the network costs nothing and the app allows them.
  public var usesEvents: Bool { resource.streams }

  /// Returns the list as it changes.
  ///
  /// Buffers only the newest list; the current one is delivered at once. However many views iterate, the server is
  /// polled once. The stream ends when its task is canceled.
  public func lists() -> AsyncStream<LiveSnapshot<WorkspaceList>> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let (resources, number) = choices()
      let freshness = freshness
      let task = Task {
        var observation: Task<Void, Never>?
        for await resource in resources {
          observation?.cancel()
          observation = Task {
            for await snapshot in freshness.snapshots(of: resource) where !Task.isCancelled {
              continuation.yield(snapshot)
            }
          }
        }
        observation?.cancel()
        continuation.finish()
      }
      continuation.onTermination = { [weak self] _ in
        self?.forget(number)
        task.cancel()
      }
    }
  }

  /// The resource to observe, now and whenever it is another.
  private func choices() -> (AsyncStream<WorkspaceListResource>, Int) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: WorkspaceListResource.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let number = state.withLock { state in
      state.lastObserver += 1
      state.observers[state.lastObserver] = continuation
      continuation.yield(Self.list(server, streams, state.connectivity))
      return state.lastObserver
    }
    return (stream, number)
  }

  private func forget(_ observer: Int) {
    state.withLock { state in state.observers.removeValue(forKey: observer) }?.finish()
  }

  /// The current list.
  public var list: WorkspaceList? { freshness.value(of: resource) }

  /// How fresh the list is now, and what the engine does about it; `nil` before the first observer.
  public var report: FreshnessReport? { freshness.freshness(of: resource) }

  /// The diagnostics of the engine for the list, with its newest samples (R29, R30).
  public var diagnostics: Diagnostics? { freshness.diagnostics(of: resource) }

  /// The list as a source for a ``LiveValue``.
  public var source: LiveSource<WorkspaceList> {
    LiveSource(
      clock: clock,
      snapshot: { self.freshness.snapshot(of: self.resource) },
      freshness: { self.report },
      refresh: { self.freshness.refresh(self.resource, $0) },
      observe: { show in for await snapshot in self.lists() { await show(snapshot) } }
    )
  }

  /// Requests a new list on behalf of the user.
  public func refresh() { freshness.refresh(resource) }

  /// Reports that the app moved to the foreground or background, or is about to be
  /// suspended (R11).
  public func lifecycle(_ lifecycle: Lifecycle) { freshness.lifecycle(lifecycle) }

  /// Reports that the network came, went or became metered: the stream gives way to polling, and the copy
  /// stays (R24, R35).
  public func connectivity(_ connectivity: Connectivity) {
    freshness.connectivity(connectivity)
    let before = resource
    let (after, observers) = state.withLock { state in
      // While offline, the last known state of the network is kept.
      if connectivity != .offline { state.connectivity = connectivity }
      return (Self.list(server, streams, state.connectivity), Array(state.observers.values))
    }
    guard after != before else { return }
    if let value = freshness.value(of: before) { freshness.write(value, to: after) }
    for observer in observers { observer.yield(after) }
  }

  // MARK: Details

  /// The diff of a worktree.
  public func diff(of id: String) -> WorkspaceDetailResource<WorkspaceDiff> {
    WorkspaceDetailResource(
      server: server,
      path: "/v1/git/worktrees/\(HTTPAddress.encoded(id))/diff"
    )
  }

  /// The newest agent session of a worktree.
  public func session(of id: String) -> WorkspaceDetailResource<WorkspaceSession> {
    WorkspaceDetailResource(
      server: server,
      path: "/v1/sessions/workspace/\(HTTPAddress.encoded(id))"
    )
  }

  /// Requests the details of a worktree again after the list has reported a change.
  public func changed(_ id: String) {
    freshness.refresh(diff(of: id), .change)
    freshness.refresh(session(of: id), .change)
  }

  /// Prefetches what the user is likely to open next: at low priority, once for each state of a worktree, and nothing
  /// on a metered network (R35).
  ///
  /// Does not prefetch large diffs.
  ///
  /// - Parameter ids: The likely worktrees, from ``WorkspaceList/likelyNext(pointed:order:)``.
  /// - Returns: The worktrees that requests were sent for.
  @discardableResult
  public func prefetch(_ ids: [String]) -> [String] {
    guard let list else { return [] }
    let due = state.withLock { state -> [Workspace] in
      guard state.connectivity == .online else { return [] }
      return list.worktrees.filter { it in
        guard ids.contains(it.id),
          !state.prefetches.contains(where: { $0 == (it.id, it.revision) })
        else { return false }
        state.prefetches.removeAll { $0.id.isSameName(as: it.id) }
        state.prefetches.append((it.id, it.revision))
        if state.prefetches.count > Self.prefetchesRemembered { state.prefetches.removeFirst() }
        return true
      }
    }
    for it in due {
      if it.activity.state != .unknown || !it.activity.agents.isEmpty {
        freshness.prefetch(session(of: it.id))
      }
      let paths = it.git.staged + it.git.unstaged + it.git.untracked
      if paths <= Self.prefetchedPaths, it.commitCount <= Self.prefetchedCommits {
        freshness.prefetch(diff(of: it.id))
      }
    }
    return due.map(\.id)
  }

  // MARK: What changes something

  private struct Done: Decodable {
    var message: String?
    var worktree: Workspace?
  }

  private struct Empty: Encodable {}

  private struct Creation: Encodable {
    var repository: String
    var branch: String?
    var name: String?
    var source: String?
  }

  private struct Restoring: Encodable {
    var processes: [Int]?
  }

  private struct Trusting: Encodable {
    var digest: String
  }

  private struct Merging: Encodable {
    var squash: Bool
    // swift-format-ignore: AlwaysUseLowerCamelCase
    var auto_cleanup: Bool
    var processes: [Int]?
  }

  private struct Synchronisation: Encodable {
    var strategy: String
    var fetch: Bool
    // swift-format-ignore: AlwaysUseLowerCamelCase
    var rewrite_pushed: Bool?
    var processes: [Int]?
  }

  /// Does something; the list is then watched closely until it shows (R13).
  ///
  /// - Parameter change: The action.
  /// - Returns: The server's message, for display; may be empty.
  /// - Throws: ``WorkspaceFailure``.
  @discardableResult
  public func make(_ change: WorkspaceChange) async throws(WorkspaceFailure) -> String {
    let done: Done
    switch change {
    case .seen(let id): done = try await post("\(Self.path(id))/seen", Empty())
    case .refresh(let id): done = try await post("\(Self.path(id))/refresh", Empty())
    case .trust(let id, let digest):
      done = try await post("\(Self.path(id))/trust", Trusting(digest: digest))
    case .distrust(let id): done = try await send("\(Self.path(id))/trust", .delete, [])
    case .create(let repository, let branch, let name, let source):
      done = try await post(
        "/v1/git/worktrees",
        Creation(repository: repository, branch: branch, name: name, source: source)
      )
    case .delete(let id, let isForced, let removesBranch, let processes):
      let numbers = processes.map(String.init).joined(separator: ",")
      let query = [
        isForced ? "force=1" : nil, removesBranch ? "delete_branch=1" : nil,
        numbers.isEmpty ? nil : "processes=\(numbers)",
      ]
      .compactMap(\.self).joined(separator: "&")
      let path = Self.path(id) + (query.isEmpty ? "" : "?\(query)")
      done = try await send(path, .delete, [])
    case .merge(let id, let squashes, let cleansUp, let processes):
      done = try await post(
        "\(Self.path(id))/merge",
        Merging(
          squash: squashes,
          auto_cleanup: cleansUp,
          processes: processes.isEmpty ? nil : processes
        )
      )
    case .sync(let id, let strategy, let fetches, let rewritesPushed, let processes):
      done = try await post(
        "\(Self.path(id))/sync",
        Synchronisation(
          strategy: strategy.rawValue,
          fetch: fetches,
          rewrite_pushed: rewritesPushed ? true : nil,
          processes: processes.isEmpty ? nil : processes
        )
      )
    case .restore(let point, let processes):
      done = try await post(
        "/v1/git/restore/\(HTTPAddress.encoded(point))",
        Restoring(processes: processes.isEmpty ? nil : processes)
      )
    }
    freshness.acted(on: resource)
    return done.message ?? ""
  }

  /// Does something, and shows its expected result in the list until the server confirms it.
  ///
  /// - Parameter change: What.
  /// - Returns: What the server says, for people; empty if it says nothing.
  /// - Throws: ``WorkspaceFailure``, once the expected result is taken back.
  @discardableResult
  public func makeShowing(_ change: WorkspaceChange) async throws(WorkspaceFailure) -> String {
    try await freshness.mutate(resource) {
      change.apply(to: &$0)
    } sending: { () async throws(WorkspaceFailure) -> String in
      try await make(change)
    }
  }

  /// Follows the lifecycle of the app and the network of the device while the result lives.
  public func observeDevice() -> DeviceObservation {
    DeviceObservation { [weak self] event in
      switch event {
      case .lifecycle(let lifecycle): self?.lifecycle(lifecycle)
      case .focused: self?.freshness.focused()
      case .connectivity(let connectivity): self?.connectivity(connectivity)
      }
    }
  }

  /// Asks what can be taken back.
  ///
  /// - Returns: The points, the newest first.
  /// - Throws: ``WorkspaceFailure``.
  public func restorePoints() async throws(WorkspaceFailure) -> [RestorePoint] {
    try await send("/v1/git/restore", .get, nil)
  }

  /// Asks what is in the watched folders and not shown, and why.
  ///
  /// - Throws: ``WorkspaceFailure``.
  public func omissions() async throws(WorkspaceFailure) -> [Omission] {
    try await send("/v1/git/omissions", .get, nil)
  }

  /// Asks which machines report to the server, and how old their reports are.
  ///
  /// - Throws: ``WorkspaceFailure``.
  public func machines() async throws(WorkspaceFailure) -> [MachineStatus] {
    try await send("/v1/machines", .get, nil)
  }

  /// Asks whether a merge or a sync would end in conflicts; nothing is changed.
  ///
  /// - Parameters:
  ///   - check: Which.
  ///   - id: The worktree.
  /// - Returns: The report.
  /// - Throws: ``WorkspaceFailure``.
  public func check(
    _ check: WorkspaceCheck,
    _ id: String
  ) async throws(WorkspaceFailure) -> ConflictReport {
    try await send("\(Self.path(id))/\(check.rawValue)/check", .get, nil)
  }

  private static func path(_ id: String) -> String {
    "/v1/git/worktrees/\(HTTPAddress.encoded(id))"
  }

  private func post(_ path: String, _ body: some Encodable) async throws(WorkspaceFailure) -> Done {
    let bytes = (try? JSONEncoder().encode(body)).map { Array($0) } ?? []
    return try await send(path, .post, bytes)
  }

  private func send<Answer: Decodable>(
    _ path: String,
    _ method: HTTPRequest.Method,
    _ content: [UInt8]?
  ) async throws(WorkspaceFailure) -> Answer {
    var request = server.request(path, method: method, fields: [.accept: "application/json"])
    for field in state.withLock({ $0.credentials }) {
      request.headerFields[field.name] = field.value
    }
    let answer: HTTPExchangeAnswer
    do {
      if let content {
        request.headerFields[.contentType] = "application/json"
        answer = try await transport.send(request, content: content, timeout: Self.actionTimeout)
      } else {
        answer = try await transport.send(request, timeout: Self.actionTimeout)
      }
    } catch {
      throw WorkspaceFailure(.unreachable, error.description)
    }
    let status = Int(answer.head.status.code)
    guard (200..<300).contains(status) else {
      throw WorkspaceFailure(status: status, body: answer.body)
    }
    let body = answer.body.isEmpty ? Data("{}".utf8) : Data(answer.body)
    guard let value = try? JSONDecoder().decode(Answer.self, from: body) else {
      throw WorkspaceFailure(.unreadable, status: status, "the answer cannot be read")
    }
    return value
  }
}
