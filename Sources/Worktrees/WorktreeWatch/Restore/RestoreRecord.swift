import ConditionalHTTP
package import Workspaces

/// A restore point with what is needed to go back to it, as its file says it.
///
/// The file lies in the repository, so its bytes are a stranger's until ``init(checking:id:)`` has checked each of them.
/// It holds no path that anything is moved from or removed at: where things are follows from the id (``RestoreFolder``).
package struct RestoreRecord: Codable, Hashable, Sendable {
  /// A setting of a branch.
  struct Setting: Codable, Hashable, Sendable {
    /// Its whole key.
    var key: String
    /// Its value; `nil` for a variable without one.
    var value: String?
  }

  /// The branch of a worktree that was deleted.
  struct Branch: Codable, Hashable, Sendable {
    /// The ref that HEAD was a symbolic ref to.
    var ref: String
    /// The commit it was at; `nil` before the first one.
    var object: String?
    /// Its settings.
    var settings: [Setting]
  }

  /// The point as it is answered, with the places of the time at which it was made.
  package var point: RestorePoint
  /// How long it has been kept, in seconds, as far as that was seen; never believed alone (``isOver(_:)``).
  var age = 0.0
  /// When its age was counted last, in seconds since 1970.
  var countedAt: Double
  /// The common directory of the repository when the point was made; `nil` in records of earlier versions.
  var common: String?
  /// The name of the git directory of a deleted worktree.
  var gitName: String?
  /// The branch of a worktree that was deleted.
  var branch: Branch?

  /// Begins a point.
  ///
  /// - Parameters:
  ///   - kind: The action that follows.
  ///   - worktree: The worktree.
  ///   - common: The common directory of its repository.
  ///   - id: Names the point.
  ///   - now: The current time, in seconds since 1970.
  init(
    _ kind: RestorePoint.Kind,
    _ worktree: Workspace,
    of common: String,
    id: String,
    at now: Double
  ) {
    point = RestorePoint(
      id: id,
      kind: kind,
      worktree,
      createdAt: InstantText.write(now),
      keptUntil: InstantText.write(now + WatchLimits.restoreTime)
    )
    countedAt = now
    self.common = common
  }

  /// An id of a moment and a random number: digits of base 16 and a dash.
  static func id(at now: Double, random: UInt32) -> String {
    String(UInt64(max(now, 0)), radix: 16) + "-" + String(random, radix: 16)
  }

  /// Whether it was kept long enough, as it was counted and as the file system says.
  ///
  /// - Parameter kept: For how long the file system says that it has been there, in seconds; `nil` if it does not.
  /// - Returns: Whether both are long enough.
  func isOver(_ kept: Double?) -> Bool {
    min(age, kept ?? 0) >= WatchLimits.restoreTime
  }

  /// Counts the time since it was counted last.
  ///
  /// A clock that was put back counts for nothing, and one that was put forward for no more than
  /// ``WatchLimits/longestSweepStep``: neither may remove what was deleted a moment ago.
  ///
  /// - Parameter now: The current time, in seconds since 1970.
  mutating func count(to now: Double) {
    age += min(max(now - countedAt, 0), WatchLimits.longestSweepStep)
    countedAt = now
    point.keptUntil = InstantText.write(now + max(0, WatchLimits.restoreTime - age))
  }

  /// The record as it is for a repository that is somewhere else by now, moved or copied with what is around it.
  ///
  /// - Parameter place: The common directory of the repository now.
  /// - Returns: The record with the place that the worktree has beside it.
  func moved(to place: String) -> RestoreRecord {
    guard let common, !common.isSameName(as: place) else { return self }
    var moved = self
    moved.point.path = Self.path(point.path, beside: common, movedTo: place)
    moved.point.worktreeId = WorkspaceIdentity.id(of: moved.point.path)
    return moved
  }

  /// Where a path is after a folder beside it was moved, by the way from one to the other.
  static func path(_ path: String, beside old: String, movedTo new: String) -> String {
    let (from, to) = (OpenFolder.parts(old), OpenFolder.parts(new))
    let target = OpenFolder.parts(path)
    let shared = zip(from, target).prefix { $0.isSameName(as: $1) }.count
    let up = from.count - shared
    // Folders that have only the root in common did not move together.
    guard shared > 0, up <= to.count else { return path }
    let parts = to.dropLast(up) + target.dropFirst(shared)
    return parts.map { "/" + $0 }.joined()
  }
}
