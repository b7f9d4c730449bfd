import Workspaces

/// Reports when a worktree begins to need attention, or is done: once per change, and never for what was already so.
///
/// A value: takes lists and returns notices. A state that is unknown for a while, as after a restart of the server, is
/// not a change; neither is a state that began before the first list and was only found later.
public struct WorkspaceNotices: Sendable {
  /// A change that is worth a notice.
  public struct Notice: Hashable, Sendable {
    /// The new state of the worktree.
    public enum Kind: Hashable, Sendable {
      /// An agent waits for a permission or an answer.
      case needsYou
      /// It has finished, and the result has not been seen.
      case done
    }

    /// The new state.
    public var kind: Kind
    /// The worktree; `nil` if the notice is about several.
    public var id: String?
    /// The title, as one line without control characters.
    public var title: String
    /// The text, as one line without control characters; may be empty.
    public var text: String
  }

  /// The most notices of one list; the rest share one.
  public static let most = 4
  /// The most characters of a title.
  public static let titleLength = 80
  /// The most characters of a text.
  public static let textLength = 200
  /// The most worktrees that are remembered after they are gone.
  public static let remembered = 1_024

  private struct Known {
    var state: AgentActivity.State
    /// Since when, in seconds since 1970.
    var since: Double?
    /// The latest start of each kind that was reported, or found initially.
    var told: [Notice.Kind: Double] = [:]
  }

  private var known: NameTable<Known> = [:]
  /// The server's time at the first list; `nil` before it.
  private var began: Double?

  /// Nothing was seen yet.
  public init() {}

  /// Takes the newest list.
  ///
  /// - Parameters:
  ///   - list: The list.
  ///   - now: The server's time, in seconds since 1970.
  /// - Returns: The notices, at most ``most``, those that need attention first.
  public mutating func notices(of list: WorkspaceList, at now: Double) -> [Notice] {
    let began = began ?? now
    self.began = began
    var found: [Notice] = []
    for worktree in list.byAttention where worktree.activity.state != .unknown {
      let activity = worktree.activity
      var new = Known(state: activity.state, since: activity.since.flatMap(WorkspaceInstant.read))
      let before = known[worktree.id]
      new.told = before?.told ?? [:]
      let kind = Self.kind(activity.state)
      if let kind, let since = new.since { new.told[kind] = max(since, new.told[kind] ?? since) }
      known[worktree.id] = new
      guard let kind, Self.isChange(new, before, kind, began) else { continue }
      found.append(Self.notice(kind, worktree))
    }
    forget(list)
    guard found.count > Self.most else { return found }
    let rest = found.count - Self.most + 1
    return found.prefix(Self.most - 1) + [
      Notice(
        kind: found.contains { $0.kind == .needsYou } ? .needsYou : .done,
        id: nil,
        title: "\(rest) more worktrees need you or are done",
        text: ""
      )
    ]
  }

  private static func kind(_ state: AgentActivity.State) -> Notice.Kind? {
    switch state {
    case .needsYou: .needsYou
    case .doneUnseen: .done
    default: nil
    }
  }

  private static func isChange(
    _ new: Known,
    _ before: Known?,
    _ kind: Notice.Kind,
    _ began: Double
  ) -> Bool {
    guard let before else { return new.since.map { $0 > began } ?? false }
    guard let since = new.since else { return new.state != before.state }
    // An answer and a new question between two lists give the same state, with a later start. A start no later than the
    // reported one is the same change: the state only flickered, or an older need is left over.
    if let told = before.told[kind] { return since > told }
    return new.state != before.state
  }

  /// Forgets worktrees that are gone, if they are too many: one that comes back is the one of before.
  private mutating func forget(_ list: WorkspaceList) {
    guard known.count > list.worktrees.count + Self.remembered else { return }
    let ids = Set(list.worktrees.map(\.id))
    known = known.filter { ids.contains($0.key) }
  }

  private static func notice(_ kind: Notice.Kind, _ it: Workspace) -> Notice {
    let about: String?
    switch kind {
    case .needsYou: about = it.activity.reason ?? it.latestClaudeMessage ?? it.latestSessionTitle
    case .done: about = it.latestClaudeMessage ?? it.latestSessionTitle ?? it.latestUserPrompt
    }
    let name = line(it.name, titleLength - 12)
    return Notice(
      kind: kind,
      id: it.id,
      title: kind == .needsYou ? "\(name) needs you" : "\(name) is done",
      text: line(about ?? "", textLength)
    )
  }

  /// A text of others as one bounded line without control and direction characters.
  private static func line(_ text: String, _ length: Int) -> String {
    var line = ""
    var count = 0
    // Reads only this far, since a message can have any length.
    for character in text.prefix(length * 4) {
      let scalars = character.unicodeScalars.prefix(8).filter { scalar in
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
      }
      if scalars.isEmpty, !character.isWhitespace { continue }
      if character.isWhitespace {
        if line.isEmpty || line.hasSuffix(" ") { continue }
        line.append(" ")
      } else {
        line.unicodeScalars.append(contentsOf: scalars)
      }
      count += 1
      if count == length { return line + "…" }
    }
    while line.hasSuffix(" ") { line.removeLast() }
    return line
  }
}
