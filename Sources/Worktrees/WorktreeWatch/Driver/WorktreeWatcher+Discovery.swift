import Git
import Workspaces

extension WorktreeWatcher {
  /// Looks for repositories, and for a while at those that are new.
  func discover() async {
    realRoots = settings.roots.compactMap { HostFile.realPath($0) }
    let search = RepositorySearch(roots: settings.roots)
    let found = await Self.run(search)
    (isCut, missingRoots) = (found.isCut, found.missing)
    searchOmissions = found.omissions
    let known = NameSet(found.repositories)
    for common in repositories.keys where !known.contains(common) {
      guard HostFile.kind(common) == nil || !found.isCut else { continue }
      drop(repository: common)
    }
    watchSearch()
    // What is elsewhere now, with a folder around it, its repository knows or learns.
    for (path, tree) in trees where HostFile.kind(path) != .folder {
      budget.request(.repository(tree.repository), at: WatchClock.monotonic)
    }
    let unknown = found.repositories.filter { repositories[$0] == nil }
    firstScans.formUnion(unknown)
    pendingRepositories = Set(unknown.filter { repositoryProblems[$0] == nil })
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    for common in unknown {
      Task {
        await scanRepository(common)
        firstScans.remove(common)
        becomeReady()
        end.yield()
      }
    }
    // Repositories on which git hangs do not delay the others for long.
    if !unknown.isEmpty {
      Task {
        try? await Task.sleep(for: .seconds(settings.firstPatience))
        for common in unknown { firstScans.remove(common) }
        becomeReady()
      }
    }
    becomeReady()
    guard !unknown.isEmpty else { return }
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        var left = unknown.count
        for await _ in ends {
          left -= 1
          if left == 0 { break }
        }
      }
      group.addTask { try? await Task.sleep(for: .seconds(WatchLimits.patience)) }
      await group.next()
      group.cancelAll()
    }
  }

  /// Announces that everything was scanned once, and its agents, as soon as it was.
  func becomeReady() {
    guard !store.isReady, firstScans.isEmpty else { return }
    let hasAgents = agents != nil
    guard trees.values.allSatisfy({ $0.scan != nil && (!hasAgents || $0.reading != nil) }) else {
      return
    }
    store.becomeReady()
  }

  @concurrent
  private static func run(_ search: RepositorySearch) async -> RepositorySearch.Result {
    search.run()
  }
}
