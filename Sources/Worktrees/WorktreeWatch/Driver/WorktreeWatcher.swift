import ConditionalHTTP
import Git
import Synchronization
package import Workspaces

/// Keeps a store of worktrees as git and agents have them.
///
/// Combines events of watched folders, pauses between them, a budget of scans, polling where nothing can be watched,
/// and a periodic scan of everything. The machines of `Git` decide what is due when; this type drives them.
///
/// ```
/// inotify ──▶ WatchTable ──▶ Debounce ──▶ RefreshBudget ──▶ WorktreeScan ──▶ WorkspaceStore
///                                  ▲                                              ▲
///            polling, reconcile ───┘                      AgentWatching ──────────┘
/// ```
package actor WorktreeWatcher {
  typealias Owner = WatchTable.Owner

  struct Tree {
    var member: RepositoryScan.Member
    var repository: String
    var scan: WorktreeScan?
    /// What its agents do; `nil` until they were scanned.
    var reading: AgentReading?
    var isPolled = true
    /// When it is scanned without an event: if it is polled, or the last scan failed.
    var polls: PollSchedule
    var folders: WatchPlan.Folders?
    var gitFolders: NameTable<WatchPlan.Place> = [:]
    var submodules: [String] = []
    var indexStamps: [[Int]?] = []
    var untracked: [String] = []
    var hasFolders = false
    var isCut = false
    /// The name of its file system if not all changes on it make events.
    var eventlessSystem: String?
    /// Whether the system had no watches left for it.
    var lacksWatches = false
    /// The moves of ``WatchTable`` that the watched folders are of.
    var settledMoves: Int64 = -1
    var waiters: [(since: Double, continuation: CheckedContinuation<Void, Never>)] = []
  }

  package nonisolated let store: WorkspaceStore
  package nonisolated let runner: GitRunner
  package nonisolated let table: WatchTable
  /// The waiters for scans of worktrees.
  package nonisolated let scanTicks = ScanTicks()
  /// The diffs that were made.
  package nonisolated let diffs: DiffCache
  /// Whether clients observe the worktrees.
  package nonisolated let interest: WatchInterest
  nonisolated let turns = ActionQueue()
  nonisolated let settings: WatchSettings
  nonisolated let agents: (any AgentWatching)?
  private nonisolated let signals: AsyncStream<Void>
  private nonisolated let signal: AsyncStream<Void>.Continuation

  var repositories: NameTable<RepositoryScan> = [:]
  var trees: NameTable<Tree> = [:]
  private var debounces: [Owner: Debounce] = [:]
  var budget: RefreshBudget<Owner>
  private var reconcileAt = 0.0
  var failures = 0
  /// When unreadable repositories are scanned again.
  private var retriesOfRepositories: NameTable<PollSchedule> = [:]
  /// Worktrees to scan once the scan of their repository finishes.
  private var held: NameTable<NameSet> = [:]
  var scans = 0
  var isCut = false
  var missingRoots: [String] = []
  /// The folders that are watched, without links.
  var realRoots: [String] = []
  /// The omissions of the last search for repositories.
  var searchOmissions: [Omission] = []
  /// Why repositories could not be read, by their common directories.
  var repositoryProblems: [String: String] = [:]
  private var scanOrder = ScanOrder()
  /// Worktrees that are left out as there are too many.
  var surplusWorktrees: Set<String> = []
  /// Repositories that are scanned for the first time.
  var firstScans: Set<String> = []
  /// Repositories of the last search whose first scan has not finished, however long it takes.
  var pendingRepositories: Set<String> = []
  private var following: Task<Void, Never>?
  private var wasWanted = true
  private var unknownReadings: NameTable<AgentReading> = [:]

  /// Creates a watcher; ``run()`` starts it.
  ///
  /// - Parameters:
  ///   - settings: What to watch.
  ///   - store: Where the state goes.
  ///   - agents: Watches the agents; nothing leaves their state unknown.
  ///   - trust: The configurations that a person trusts.
  package init(
    _ settings: WatchSettings,
    store: WorkspaceStore,
    agents: (any AgentWatching)? = nil,
    trust: TrustedRepositories = TrustedRepositories()
  ) {
    self.settings = settings
    self.store = store
    self.agents = agents
    runner = GitRunner(programs: ProgramGuard(roots: settings.roots, trust: trust))
    diffs = DiffCache(longest: settings.reconcile)
    budget = RefreshBudget(
      spacing: settings.spacing,
      most: WatchLimits.processes,
      patience: WatchLimits.patience
    )
    let (signals, signal) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    (self.signals, self.signal) = (signals, signal)
    table = WatchTable(share: settings.watches) { signal.yield() }
    interest = WatchInterest { signal.yield() }
  }

  /// Ends the git of each action and lets none be begun, after which what was begun is undone: the program ends soon.
  package nonisolated func hurry() { runner.hurry() }

  /// Ends every git that runs, and starts no more: the program ends.
  package func close() async { await runner.close() }

  /// Watches until the task is cancelled.
  package func run() async {
    await withTaskGroup(of: Void.self) { group in
      if let agents {
        group.addTask {
          for await (path, reading) in agents.readings() { await self.apply(reading, of: path) }
        }
      }
      await discover()
      await withDiscardingTaskGroup { scans in
        var iterator = signals.makeAsyncIterator()
        while !Task.isCancelled {
          let wakeAt = round(&scans)
          let pause = max(WatchLimits.roundPause, wakeAt - WatchClock.monotonic)
          let alarm = Task { [signal] in
            try? await Task.sleep(for: .seconds(pause))
            if !Task.isCancelled { signal.yield() }
          }
          guard await iterator.next(isolation: #isolation) != nil else { break }
          alarm.cancel()
          try? await Task.sleep(for: .seconds(WatchLimits.roundPause))
        }
      }
      group.cancelAll()
    }
    for key in trees.keys { release(key) }
  }

  /// Scans a worktree as soon as the budget allows, and waits for the result.
  package func refresh(_ path: String) async {
    guard trees[path] != nil else { return }
    let now = WatchClock.monotonic
    budget.request(.worktree(path), at: now)
    signal.yield()
    await withCheckedContinuation { continuation in
      trees[path]?.waiters.append((now, continuation))
    }
  }

  /// Scans a repository now: which worktrees it has.
  package func refreshRepository(_ common: String) async {
    await scanRepository(common)
  }

  /// Looks for repositories and worktrees now.
  package func rediscover() async {
    await discover()
    signal.yield()
  }

  // MARK: Rounds

  /// Handles new events, and begins what is due.
  ///
  /// - Returns: When the next round is due without new events.
  private func round(_ group: inout DiscardingTaskGroup) -> Double {
    let now = WatchClock.monotonic
    let changes = table.changes()
    for owner in changes.dirty {
      var owner = owner
      if case .settings(let common) = owner { owner = .repository(common) }
      debounces[
        owner,
        default: Debounce(quiet: settings.quiet, most: settings.longestDelay)
      ].note(at: now)
    }
    for case .worktree(let path) in changes.moved {
      trees[path]?.hasFolders = false
      // Where it is now, or that it is gone, its repository knows.
      if let common = trees[path]?.repository, HostFile.kind(path) != .folder {
        budget.request(.repository(common), at: now)
      }
    }
    for owner in Array(debounces.keys) where debounces[owner]?.fires(at: now) == true {
      debounces[owner] = nil
      if case .worktree(let path) = owner, let common = trees[path]?.repository,
        let begin = budget.begins(
          .repository(common),
          at: now,
          asked: debounces[.repository(common)]?.deadline
        ), begin <= now + WatchLimits.longestHold
      {
        // A commit changes both: the repository comes first, or the worktree would be scanned twice.
        held[common, default: []].insert(path)
        continue
      }
      budget.request(owner, at: now)
    }
    if now >= reconcileAt {
      reconcileAt = now + settings.reconcile
      budget.request(.search, at: now)
      for common in repositories.keys { budget.request(.repository(common), at: now) }
      for path in trees.keys { budget.request(.worktree(path), at: now) }
    }
    let isWanted = interest.isThere(at: now)
    if isWanted, !wasWanted { for path in trees.keys { trees[path]?.polls.hurry(at: now) } }
    wasWanted = isWanted
    var next = reconcileAt
    for (path, tree) in trees where tree.scan != nil && (tree.isPolled || tree.polls.failures > 0) {
      if trees[path]?.polls.begin(at: now, isWanted: isWanted) == true {
        budget.request(.worktree(path), at: now)
        // Its refs are on such a file system too, or may be.
        if tree.eventlessSystem != nil, retriesOfRepositories[tree.repository] == nil {
          budget.request(.repository(tree.repository), at: now)
        }
      }
      next = min(next, trees[path]?.polls.dueAt ?? next)
    }
    for owner in budget.begin(at: now) {
      group.addTask { await self.scan(owner) }
    }
    if let deadline = budget.deadline { next = min(next, deadline) }
    for debounce in debounces.values { next = min(next, debounce.deadline ?? next) }
    return next
  }

  private func scan(_ owner: Owner) async {
    switch owner {
    case .worktree(let path): await scanTree(path)
    case .repository(let common), .settings(let common): await scanRepository(common)
    case .search: await discover()
    }
    budget.end(owner)
    if case .repository(let common) = owner, let paths = held.removeValue(forKey: common) {
      let now = WatchClock.monotonic
      for path in paths where trees[path] != nil { budget.request(.worktree(path), at: now) }
    }
    if case .worktree(let path) = owner, trees[path] == nil { budget.forget(owner) }
    signal.yield()
  }

  // MARK: Repositories

  func scanRepository(_ common: String) async {
    let number = scanOrder.begin()
    do {
      let heads = repositories[common]?.symbolicHeads ?? []
      table.set(WatchFolders.repository(common, heads: heads), for: .repository(common))
      let upstreams = trees.values.filter { $0.repository.isSameName(as: common) }
        .compactMap { $0.scan?.status.upstream }
      let scan = try await RepositoryScan.run(
        common,
        upstreams: NameSet(upstreams),
        runner: runner
      )
      guard scanOrder.takes(number, of: common) else { return }
      retriesOfRepositories[common] = nil
      repositoryProblems[common] = nil
      pendingRepositories.remove(common)
      table.set(SettingsFiles.folders(scan.settings.keys), for: .settings(common))
      // What was not watched yet may have changed before it is.
      if SettingsFiles.stamps(scan.settings.keys) != scan.settings || scan.symbolicHeads != heads {
        budget.request(.repository(common), at: WatchClock.monotonic)
      }
      apply(scan)
    } catch is CancellationError {
    } catch {
      failures += 1
      if HostFile.kind(common) == nil {
        drop(repository: common)
      } else {
        repositoryProblems[common] = "\(error)"
        pendingRepositories.remove(common)
        var retries = retriesOfRepositories[common] ?? schedule
        retries.scanned(at: WatchClock.monotonic, failed: true)
        retriesOfRepositories[common] = retries
        // It may have been in the middle of something.
        budget.request(.repository(common), at: retries.dueAt)
        signal.yield()
      }
    }
  }

  private nonisolated var schedule: PollSchedule {
    PollSchedule(
      every: settings.pollEvery,
      retry: WatchLimits.retry,
      longest: WatchLimits.longestRetry
    )
  }

  private func apply(_ scan: RepositoryScan) {
    let now = WatchClock.monotonic
    let before = repositories.updateValue(scan, forKey: scan.commonDirectory)
    let paths = NameSet(scan.members.map(\.layout.worktree))
    let isSeenOtherwise =
      before?.sight.common != scan.sight.common || before?.sight.files != scan.sight.files
    let isAllOther =
      before?.source != scan.source || isSeenOtherwise || before?.history != scan.history
      || before?.stashLog != scan.stashLog || before?.trust != scan.trust
    let moved = FollowedRefs.moved(before?.followed ?? [:], scan.followed)
    for (path, tree) in trees
    where tree.repository.isSameName(as: scan.commonDirectory) && !paths.contains(path) {
      drop(tree: path)
    }
    for member in scan.members {
      let path = member.layout.worktree
      if trees[path] == nil {
        guard trees.count < WatchLimits.worktrees else {
          isCut = true
          surplusWorktrees.insert(path)
          continue
        }
        surplusWorktrees.remove(path)
        trees[path] = Tree(
          member: member,
          repository: scan.commonDirectory,
          polls: schedule
        )
        if let reading = unknownReadings.removeValue(forKey: path) {
          trees[path]?.reading = reading
        }
        budget.request(.worktree(path), at: now)
      } else {
        trees[path]?.member = member
        // Submodules come and go with the configuration, and what is ignored is not watched.
        if isSeenOtherwise {
          trees[path]?.hasFolders = false
          table.touch(path)
        }
        // A commit may have been made elsewhere on the branch that is checked out here.
        let status = trees[path]?.scan?.status
        if isAllOther || status?.head != member.entry.head
          || FollowedRefs.concern(status?.upstream, moved)
          || scan.sight.differs(from: before?.sight, for: status?.branch)
        {
          budget.request(.worktree(path), at: now)
        }
      }
      publish(path)
    }
    if before.map({ NameSet($0.members.map(\.layout.worktree)) }) != paths {
      watchSearch()
      follow()
    }
    signal.yield()
  }

  private func follow() {
    guard let agents else { return }
    let paths = trees.keys.sorted()
    // One after the other, so that the last word is the newest.
    following = Task { [following] in
      await following?.value
      await agents.follow(paths)
    }
  }

  func drop(repository common: String) {
    repositories[common] = nil
    retriesOfRepositories[common] = nil
    repositoryProblems[common] = nil
    pendingRepositories.remove(common)
    scanOrder.remove(common)
    held[common] = nil
    table.remove(.repository(common))
    table.remove(.settings(common))
    for (path, tree) in trees where tree.repository.isSameName(as: common) { drop(tree: path) }
    follow()
  }

  private func drop(tree path: String) {
    release(path)
    trees[path] = nil
    debounces[.worktree(path)] = nil
    budget.forget(.worktree(path))
    table.remove(.worktree(path))
    diffs.forget(path)
    scanTicks.tick(path)
    store.update { registry in
      registry.remove(WorkspaceIdentity.id(of: path))
      return true
    }
  }

  // MARK: Worktrees

  private func scanTree(_ path: String) async {
    guard let tree = trees[path] else { return }
    let (askedAt, startedAt) = (WatchClock.elapsed, WatchClock.monotonic)
    await watch(path)
    var scan: WorktreeScan?
    do {
      scan = try await WorktreeScan.run(
        tree.member.layout,
        source: repositories[tree.repository]?.source,
        history: repositories[tree.repository]?.history,
        before: tree.scan,
        runner: runner
      )
    } catch is CancellationError {
      release(path)
      return
    } catch {
      failures += 1
      if GitLayout.find(path) == nil {
        trees[path]?.polls.scanned(at: WatchClock.monotonic, failed: true)
        // It is gone; its repository knows whether for good, and is not asked sooner than after its last failure.
        let retryAt = retriesOfRepositories[tree.repository]?.dueAt ?? startedAt
        budget.request(.repository(tree.repository), at: max(startedAt, retryAt))
        release(path)
        return
      }
      scan = tree.scan ?? WorktreeScan()
      scan?.problem = "\(error)"
    }
    scans += 1
    guard trees[path] != nil else { return }
    if let upstream = scan?.status.upstream, upstream != trees[path]?.scan?.status.upstream {
      // From now on its repository's scan includes that ref.
      budget.request(.repository(tree.repository), at: WatchClock.monotonic)
    }
    trees[path]?.scan = scan
    let now = WatchClock.monotonic
    trees[path]?.polls.scanned(
      at: now,
      failed: scan?.problem != nil,
      isWanted: interest.isThere(at: now)
    )
    publish(path, askedAt: scan?.problem == nil ? askedAt : nil)
    if scan?.status.untrackedFolders ?? [] != trees[path]?.untracked ?? [] {
      // New folders are watched from now on, and scanned again for earlier changes.
      trees[path]?.hasFolders = false
      await watch(path)
    }
    becomeReady()
    scanTicks.tick(path)
    release(path, since: startedAt)
  }

  /// Resumes those that wait for a scan of a worktree that began after their request.
  private func release(_ path: String, since began: Double = .infinity) {
    let waiters = trees[path]?.waiters ?? []
    trees[path]?.waiters = waiters.filter { $0.since > began }
    for waiter in waiters where waiter.since <= began { waiter.continuation.resume() }
  }

  // MARK: The store

  private func apply(_ reading: AgentReading, of path: String) {
    guard trees[path] != nil else {
      if unknownReadings.count < WatchLimits.worktrees { unknownReadings[path] = reading }
      return
    }
    trees[path]?.reading = reading
    publish(path)
    becomeReady()
  }

  private func publish(_ path: String, askedAt: Double? = nil) {
    guard let tree = trees[path], let repository = repositories[tree.repository] else { return }
    let reading = tree.reading ?? AgentReading()
    var workspace = Workspace(
      tree.member,
      of: repository,
      scan: tree.scan,
      reading: reading
    )
    workspace.git.outside = isWatched(tree.repository) ? tree.scan?.displaced : tree.repository
    let published = workspace
    let since = reading.activity.since.flatMap { InstantText.read($0) }
    store.update { registry in
      let isNew = registry.put(published, askedAt: askedAt, activitySince: since)
      let hasSession = registry.put(session: reading.session, of: published.id)
      return isNew || hasSession
    }
  }
}
