import Freshness
public import FreshnessRuntime
public import Observation
public import Workspaces

/// The worktrees of a server as one observable object: the list with its age, and changes that show
/// at once and are taken back if the server refuses them.
///
/// ```swift
/// @State private var model = WorktreesModel(client)
/// // body: List(model.worktrees) { … }, .task { await model.observe() }
/// ```
@MainActor
@Observable
public final class WorktreesModel {
  /// The list, kept fresh.
  public let list: LiveValue<WorkspaceList>
  /// What the server says about the most recent change, until the next one; `nil` if it failed.
  public private(set) var message: String?
  /// Why the most recent change failed, until the next one.
  public private(set) var problem: WorkspaceFailure?
  /// The number of changes that the server is carrying out.
  public private(set) var changesInProgress = 0

  /// The client.
  public let client: WorkspaceClient

  /// Creates a model that does not observe yet.
  public init(_ client: WorkspaceClient) {
    self.client = client
    list = LiveValue(client.source)
  }

  /// The worktrees, with those that need attention first.
  public var worktrees: [Workspace] { list.value?.byAttention ?? [] }
  /// The most recent failure of the list, until the next success; the list stays (R22).
  public var failure: LiveFailure? { list.failure }
  /// How old the list is now, at most; `nil` without a list.
  public var age: Duration? { list.age }
  /// The freshness of the list in one word.
  public var state: LiveState { list.state }

  /// Keeps the list fresh until the task is canceled; for `.task` of a view.
  public func observe() async { await list.observe() }

  /// Requests a refresh on behalf of the user.
  public func refresh() { list.refresh() }

  /// Returns a live diff of a worktree.
  public func diff(of id: String) -> LiveValue<WorkspaceDiff> {
    LiveValue(client.diff(of: id), client: client.freshness)
  }

  /// Returns the live newest agent session of a worktree.
  public func session(of id: String) -> LiveValue<WorkspaceSession> {
    LiveValue(client.session(of: id), client: client.freshness)
  }

  /// Carries out a change; its expected result shows at once, and is taken back if it fails.
  ///
  /// - Parameter change: The change.
  /// - Returns: Whether it succeeded; if not, ``problem`` has the reason.
  @discardableResult
  public func make(_ change: WorkspaceChange) async -> Bool {
    changesInProgress += 1
    defer { changesInProgress -= 1 }
    do throws(WorkspaceFailure) {
      message = try await client.makeShowing(change)
      problem = nil
      return true
    } catch {
      problem = error
      message = nil
      return false
    }
  }
}

extension WorkspaceChange {
  /// Applies the expected result to a list, as far as it can be known before the server answers.
  func apply(to list: inout WorkspaceList) {
    switch self {
    case .seen(let id):
      for place in list.worktrees.indices where list.worktrees[place].id.isSameName(as: id) {
        if list.worktrees[place].activity.state == .doneUnseen {
          list.worktrees[place].activity.state = .idle
        }
      }
    case .delete(let id, _, _, _): list.worktrees.removeAll { $0.id.isSameName(as: id) }
    case .refresh, .create, .merge, .trust, .distrust, .sync, .restore: break
    }
  }
}
