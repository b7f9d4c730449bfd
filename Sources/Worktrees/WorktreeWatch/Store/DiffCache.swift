import Git
import Synchronization
import Workspaces

/// Which diff was made last of each worktree, so that it need not be made again to know that it is the same.
///
/// It does not know what happened since: the key contains what the watches report. Since they miss some changes, such
/// as writes through mapped memory, entries older than ``WatchLimits/reconcile`` are dropped.
package final class DiffCache: Sendable {
  /// The inputs of a diff, as far as they are known without making it.
  package struct Key: Hashable, Sendable {
    /// How often the content changed.
    var content: Int64
    /// How the worktree is called.
    var name: String
    /// The commit that is checked out.
    var head: String?
    /// The branch it is compared with.
    var source: String
    /// The commit of that branch.
    var sourceObject: String?
    /// The programs in the configuration, and whether they may run.
    var trust: GitState.Trust?
    /// The settings that determine the parents of commits.
    var history: RepositoryScan.History?
  }

  private struct Made {
    var key: Key
    var tag: String
    var at: Double
  }

  private let made = Mutex<NameTable<Made>>([:])
  private let longest: Double

  init(longest: Double) { self.longest = longest }

  /// The tag of the diff of a worktree.
  ///
  /// - Parameters:
  ///   - path: The worktree.
  ///   - key: Its current inputs.
  ///   - now: The current instant, by the watch clock.
  /// - Returns: The tag; `nil` if only making the diff can tell.
  package func tag(_ path: String, _ key: Key, at now: Double) -> String? {
    made.withLock { made in
      guard let last = made[path], last.key == key, now - last.at <= longest else { return nil }
      return last.tag
    }
  }

  /// Takes the tag of a diff.
  ///
  /// - Parameters:
  ///   - tag: The tag.
  ///   - path: The worktree.
  ///   - key: Its inputs before it was made.
  ///   - at: When that was, by the watch clock.
  package func remember(_ tag: String, of path: String, _ key: Key, at: Double) {
    made.withLock { $0[path] = Made(key: key, tag: tag, at: at) }
  }

  /// Forgets a worktree.
  func forget(_ path: String) { made.withLock { $0[path] = nil } }
}
