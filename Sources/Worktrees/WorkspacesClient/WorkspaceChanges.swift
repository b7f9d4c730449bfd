public import Workspaces

/// An action on a worktree, or the creation of one.
public enum WorkspaceChange: Hashable, Sendable {
  /// How a sync takes the source in.
  public enum Strategy: String, Hashable, Sendable, CaseIterable {
    /// The commits are made again on top of the source.
    case rebase
    /// The source is merged.
    case merge
  }

  /// Marks what its agents did as seen.
  case seen(String)
  /// Git is asked now.
  case refresh(String)
  /// A new worktree.
  ///
  /// - Parameters:
  ///   - repository: The repository's id or path.
  ///   - branch: Its branch; `nil` for one named after the folder.
  ///   - name: Its folder's name; `nil` for one named after the branch.
  ///   - source: The start of a new branch; `nil` for the repository's default branch.
  case create(repository: String, branch: String?, name: String?, source: String?)
  /// Moves the worktree to the trash; its branch stays unless told otherwise. Processes listed by number do not prevent
  /// it.
  case delete(String, isForced: Bool, removesBranch: Bool, processes: [Int] = [])
  /// Merges its branch into the source.
  case merge(String, squashes: Bool, cleansUp: Bool, processes: [Int] = [])
  /// Trusts the programs in its repository's configuration.
  ///
  /// - Parameter digest: Identifies the programs that the user has seen.
  case trust(String, digest: String)
  /// Revokes the trust in its repository's configuration.
  case distrust(String)
  /// Merges the source into it, or rebases it onto the source.
  ///
  /// - Parameters:
  ///   - rewritesPushed: Whether a rebase may rewrite commits that a remote has.
  case sync(
    String,
    Strategy,
    fetches: Bool,
    rewritesPushed: Bool = false,
    processes: [Int] = []
  )
  /// Undoes an action; the id is that of a restore point. Processes listed by number do not prevent it.
  case restore(String, processes: [Int] = [])
}

/// An action that can be checked before it is carried out.
public enum WorkspaceCheck: String, Hashable, Sendable {
  /// A merge into the source.
  case merge
  /// A sync with the source.
  case sync
}

extension WorkspaceList {
  /// The worktrees, those that need attention first; equal ones in the order of their paths.
  public var byAttention: [Workspace] {
    worktrees.sorted {
      let (rank, other) = ($0.activity.state.rank, $1.activity.state.rank)
      return rank == other ? $0.isBefore($1) : rank < other
    }
  }

  /// The server's time when its newest response was written, in seconds since 1970; `nil` if no worktree gives one.
  ///
  /// An activity's start and its age come from the same clock, so their sum is that clock's time: ages are counted from
  /// there and not from this device's clock (R27).
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
