package import TerminalText
package import Workspaces
package import WorkspacesClient

/// A dialogue before an action: shows the result of the check first; a destructive action is confirmed with a key of
/// its own, or with a word if the server refused it once.
package struct WorkspaceDialogue: Equatable, Sendable {
  /// The action.
  package enum Kind: Hashable, Sendable {
    /// The branch is merged into its source.
    case merge
    /// The source is taken in.
    case sync
    /// The worktree goes.
    case delete
    /// A new one.
    case create
    /// Trust in what its repository's configuration names was given or withdrawn.
    case trust
  }

  /// How far it is.
  package enum Stage: Equatable, Sendable {
    /// The server checks.
    case checking
    /// The person decides.
    case ready
    /// It would end in conflicts.
    case conflicts(ConflictReport)
    /// The server does it.
    case running
    /// The server refused.
    case refused(WorkspaceFailure)
  }

  /// The outcome of a key.
  package enum Outcome: Equatable, Sendable {
    /// The dialogue stays open.
    case stay
    /// It is over.
    case close
    /// The server is to do this.
    case make(WorkspaceChange)
  }

  /// The word that confirms what the server refused once.
  package var word: String {
    switch kind {
    case .merge: "merge"
    case .sync: strategy.rawValue
    case .delete, .create, .trust: "delete"
    }
  }
  /// The longest text of a field.
  private static let longest = 200

  /// The action.
  package let kind: Kind
  /// The worktree it is about; with ``Kind/create`` the one beside which it is made.
  package let worktree: Workspace
  /// How far it is.
  package private(set) var stage: Stage

  /// One commit instead of all (merge).
  private(set) var squashes = false
  /// The worktree goes after the merge.
  private(set) var cleansUp = false
  /// How the source is taken in.
  private(set) var strategy = WorkspaceChange.Strategy.rebase
  /// The remote is asked first.
  private(set) var fetches = false
  /// The branch goes with the worktree.
  private(set) var removesBranch = false
  /// Processes that were named and passed over, by their numbers.
  private(set) var processes: [Int] = []
  /// Whether commits that a remote has may be made again.
  private(set) var rewritesPushed = false
  /// The text typed to confirm.
  private(set) var typed = ""

  /// The repositories a worktree can be created from: the text shown, and the path sent to the
  /// server.
  let repositories: [(shown: String, path: String)]
  private(set) var repository = 0
  /// Branch, source, folder.
  private(set) var fields = ["", "", ""]
  /// Which field is typed into.
  private(set) var field = 0

  /// Begins a dialogue.
  ///
  /// - Parameters:
  ///   - kind: The action.
  ///   - worktree: The worktree it is about.
  ///   - list: All worktrees.
  package init(_ kind: Kind, _ worktree: Workspace, of list: WorkspaceList) {
    self.kind = kind
    self.worktree = worktree
    stage = kind == .merge || kind == .sync ? .checking : .ready
    var found: [(String, String)] = []
    for id in Set(list.worktrees.map(\.repoId)).sorted() {
      let members = list.worktrees.filter { $0.repoId == id }
      // A path names one repository only; several may have one id.
      let mains = members.filter(\.isMain).map(\.path)
      found += mains.isEmpty ? [(id, id)] : mains.map { (mains.count == 1 ? id : $0, $0) }
    }
    repositories = found
    repository = found.firstIndex { $0.1 == worktree.path || $0.0 == worktree.repoId } ?? 0
  }

  /// Compares two dialogues.
  package static func == (left: Self, right: Self) -> Bool {
    left.kind == right.kind && left.worktree == right.worktree && left.stage == right.stage
      && left.typed == right.typed && left.fields == right.fields && left.field == right.field
      && left.squashes == right.squashes && left.cleansUp == right.cleansUp
      && left.strategy == right.strategy && left.fetches == right.fetches
      && left.processes == right.processes && left.rewritesPushed == right.rewritesPushed
      && left.removesBranch == right.removesBranch && left.repository == right.repository
  }

  // MARK: Answers

  /// The check that is asked for first.
  package var check: WorkspaceCheck? {
    guard stage == .checking else { return nil }
    return kind == .merge ? .merge : .sync
  }

  /// Takes what a check found.
  package mutating func checked(_ result: Result<ConflictReport, WorkspaceFailure>) {
    guard stage == .checking else { return }
    switch result {
    case .success(let report): stage = report.hasConflicts ? .conflicts(report) : .ready
    case .failure(let failure): stage = .refused(failure)
    }
  }

  /// Takes why the server did not do it.
  package mutating func refused(_ failure: WorkspaceFailure) {
    typed = ""
    stage = .refused(failure)
  }

  // MARK: Keys

  /// Takes a key.
  package mutating func handle(_ key: Key) -> Outcome {
    if key == .escape || key == .control("c") { return .close }
    switch stage {
    case .checking, .running: return .stay
    case .conflicts: return key == .enter ? .close : .stay
    case .refused(let failure): return insisting(key, failure)
    case .ready: break
    }
    switch (kind, key) {
    case (.create, _): return filling(key)
    case (.merge, .character("s")): squashes.toggle()
    case (.merge, .character("c")): cleansUp.toggle()
    case (.merge, .character("y")):
      return run(change(isForced: false))
    case (.sync, .character("s")): strategy = strategy == .rebase ? .merge : .rebase
    case (.sync, .character("f")): fetches.toggle()
    case (.sync, .character("y")): return run(change(isForced: false))
    case (.trust, .character("y")):
      return worktree.git.trust == nil ? .close : run(change(isForced: false))
    case (.delete, .character("b")): removesBranch.toggle()
    case (.delete, .character("y")): return run(change(isForced: false))
    case (_, .character("n")): return .close
    default: break
    }
    return .stay
  }

  /// Whether the word may be typed that makes the server do it all the same.
  var mayInsist: Bool {
    guard case .refused(let failure) = stage else { return false }
    guard let operation else { return false }
    return failure.problem?.overrides(of: operation).contains { override in
      // Processes can be passed over only by their numbers.
      override == .processes ? !failure.processes.isEmpty : true
    } ?? false
  }

  /// The name of the action in the table of refusals.
  private var operation: WorkspaceRefusal.Operation? {
    switch kind {
    case .delete: .delete
    case .merge: .merge
    case .sync: .sync
    case .create, .trust: nil
    }
  }

  /// The chosen action, as a request to the server.
  private func change(isForced: Bool) -> WorkspaceChange {
    switch kind {
    case .merge:
      .merge(worktree.id, squashes: squashes, cleansUp: cleansUp, processes: processes)
    case .sync:
      .sync(
        worktree.id,
        strategy,
        fetches: fetches,
        rewritesPushed: rewritesPushed,
        processes: processes
      )
    case .trust:
      worktree.git.trust?.state == .trusted
        ? .distrust(worktree.id)
        : .trust(worktree.id, digest: worktree.git.trust?.digest ?? "")
    case .delete, .create:
      .delete(
        worktree.id,
        isForced: isForced,
        removesBranch: removesBranch,
        processes: processes
      )
    }
  }

  private mutating func insisting(_ key: Key, _ failure: WorkspaceFailure) -> Outcome {
    guard mayInsist else {
      if kind == .create, key == .enter {
        // The typed text stays, to be corrected.
        stage = .ready
        return .stay
      }
      return key == .enter ? .close : .stay
    }
    switch key {
    case .character(let character) where typed.count < word.count: typed.append(character)
    case .backspace where !typed.isEmpty: typed.removeLast()
    case .enter where typed == word:
      processes += failure.processes.map(\.pid)
      if failure.yields(.rewritePushed, of: .sync) { rewritesPushed = true }
      return run(change(isForced: true))
    default: break
    }
    return .stay
  }

  private mutating func filling(_ key: Key) -> Outcome {
    switch key {
    case .down, .tab: field = (field + 1) % fields.count
    case .up, .backtab: field = (field + fields.count - 1) % fields.count
    case .right where repositories.count > 1: repository = (repository + 1) % repositories.count
    case .left where repositories.count > 1:
      repository = (repository + repositories.count - 1) % repositories.count
    case .backspace where !fields[field].isEmpty: fields[field].removeLast()
    case .character(let character), .pasted(let character):
      if fields[field].count < Self.longest, character != " " { fields[field].append(character) }
    case .enter:
      guard !fields[0].isEmpty || !fields[2].isEmpty else {
        field = 0
        return .stay
      }
      let texts = fields.map { $0.isEmpty ? nil : $0 }
      return run(
        .create(
          repository: repositories.isEmpty ? worktree.repoId : repositories[repository].path,
          branch: texts[0],
          name: texts[2],
          source: texts[1]
        )
      )
    default: break
    }
    return .stay
  }

  private mutating func run(_ change: WorkspaceChange) -> Outcome {
    stage = .running
    return .make(change)
  }
}
