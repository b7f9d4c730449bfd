import ConditionalHTTP
package import Workspaces

/// A restore point with what is needed to go back to it, as its file says it.
package struct RestoreRecord: Codable, Hashable, Sendable {
  /// A setting of a branch.
  struct Setting: Codable, Hashable, Sendable {
    /// Its whole key.
    var key: String
    /// Its value; `nil` for one that stands without.
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

  /// The point as it is answered.
  package var point: RestorePoint
  /// How long it has been kept, in seconds, as far as that was seen.
  var age = 0.0
  /// When its age was counted last, in seconds since 1970.
  var countedAt: Double
  /// Where the folder of a worktree that was deleted is.
  var tree: String?
  /// What the git directory of a worktree that was deleted was called.
  var gitName: String?
  /// The branch of a worktree that was deleted.
  var branch: Branch?

  /// Begins a point.
  ///
  /// - Parameters:
  ///   - kind: What is about to be done.
  ///   - worktree: The worktree.
  ///   - id: Names the point.
  ///   - now: The moment, in seconds since 1970.
  init(_ kind: RestorePoint.Kind, _ worktree: Workspace, id: String, at now: Double) {
    point = RestorePoint(
      id: id,
      kind: kind,
      worktree,
      createdAt: InstantText.write(now),
      keptUntil: InstantText.write(now + WatchLimits.restoreTime)
    )
    countedAt = now
  }

  /// An id of a moment and a random number: digits of base 16 and a dash.
  static func id(at now: Double, random: UInt32) -> String {
    String(UInt64(max(now, 0)), radix: 16) + "-" + String(random, radix: 16)
  }

  /// Whether it was kept long enough.
  var isOver: Bool { age >= WatchLimits.restoreTime }

  /// Counts the time since it was counted last.
  ///
  /// A clock that was put back counts for nothing, and one that was put forward for no more than
  /// ``WatchLimits/longestSweepStep``: neither may remove what was deleted a moment ago.
  ///
  /// - Parameter now: The moment, in seconds since 1970.
  mutating func count(to now: Double) {
    age += min(max(now - countedAt, 0), WatchLimits.longestSweepStep)
    countedAt = now
    point.keptUntil = InstantText.write(now + max(0, WatchLimits.restoreTime - age))
  }
}
