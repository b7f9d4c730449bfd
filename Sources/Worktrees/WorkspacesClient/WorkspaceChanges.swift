public import Workspaces

/// What somebody wants to be done to a worktree, or with a new one.
public enum WorkspaceChange: Hashable, Sendable {
  /// How a sync takes the source in.
  public enum Strategy: String, Hashable, Sendable, CaseIterable {
    /// The commits are made again on top of the source.
    case rebase
    /// The source is merged.
    case merge
  }

  /// What its agents did was looked at.
  case seen(String)
  /// Git is asked now.
  case look(String)
  /// A new worktree.
  ///
  /// - Parameters:
  ///   - repository: The repository's id or path.
  ///   - branch: Its branch; `nil` for one named after the folder.
  ///   - name: Its folder's name; `nil` for one named after the branch.
  ///   - source: What a new branch starts from; `nil` for the repository's default branch.
  case create(repository: String, branch: String?, name: String?, source: String?)
  /// The worktree goes to the trash; its branch stays unless told otherwise. The processes, by their numbers, are no reason
  /// to refuse.
  case delete(String, isForced: Bool, removesBranch: Bool, processes: [Int] = [])
  /// Its branch is merged into the source.
  case merge(String, squashes: Bool, cleansUp: Bool, processes: [Int] = [])
  /// The programs that its repository's configuration names are trusted.
  ///
  /// - Parameter digest: Tells the programs that the person has seen from others.
  case trust(String, digest: String)
  /// Nothing of its repository's configuration is trusted any more.
  case distrust(String)
  /// It takes the source in.
  ///
  /// - Parameters:
  ///   - rewritesPushed: Whether a rebase may make commits again that a remote has.
  case sync(
    String,
    Strategy,
    fetches: Bool,
    rewritesPushed: Bool = false,
    processes: [Int] = []
  )
  /// What was done is taken back; the id is that of a restore point. The processes, by their numbers, are no reason to refuse.
  case restore(String, processes: [Int] = [])
}

/// What is checked before it is done.
public enum WorkspaceCheck: String, Hashable, Sendable {
  /// A merge into the source.
  case merge
  /// A sync with the source.
  case sync
}

extension WorkspaceList {
  /// The worktrees with those that ask for attention first; of equals in the order of their paths.
  public var byAttention: [Workspace] {
    worktrees.sorted {
      let (rank, other) = ($0.activity.state.rank, $1.activity.state.rank)
      return rank == other ? $0.path.isNameBefore($1.path) : rank < other
    }
  }

  /// The server's time when the newest of its answers was written, in seconds since 1970; nothing if no worktree tells.
  ///
  /// An activity's beginning and its age were written by the same clock, so their sum is that clock's time: ages
  /// are counted from there and not from this device's clock (R27).
  public var writtenAt: Double? {
    worktrees.compactMap { it in
      guard let age = it.activityAge, let since = it.activity.since else { return nil }
      return WorkspaceInstant.read(since).map { $0 + age }
    }
    .max()
  }

  /// The worktrees that are likely to be opened next, the likeliest first: the one that is pointed at, the one that asked
  /// for attention last, and the one below.
  ///
  /// - Parameters:
  ///   - pointed: The worktree that is pointed at.
  ///   - order: The ids as they are shown.
  /// - Returns: At most three ids, none twice.
  public func likelyNext(pointed: String?, order: [String]) -> [String] {
    let caller = worktrees.filter {
      [.needsYou, .doneUnseen].contains($0.activity.state)
    }
    .max { $0.revision < $1.revision }
    let place = pointed.flatMap { id in order.firstIndex { $0.isSameName(as: id) } }
    let below = place.flatMap { order.indices.contains($0 + 1) ? order[$0 + 1] : nil }
    let known = NameSet(worktrees.map(\.id))
    var likely: [String] = []
    for id in [pointed, caller?.id, below].compactMap({ $0 })
    where known.contains(id) && !likely.contains(where: { $0.isSameName(as: id) }) {
      likely.append(id)
    }
    return likely
  }
}

extension AgentActivity.State {
  /// The place of a state in the order of attention, from 0.
  var rank: Int {
    [.needsYou, .doneUnseen, .working, .idle, .ended, .unknown].firstIndex(of: self) ?? 6
  }
}
