import Git
import Synchronization
import Workspaces

/// Which diff was made last of each worktree, so that it need not be made again to know that it is the same.
///
/// It knows nothing that happened since: what the watches tell is in the key, and since they do not tell of
/// everything, such as writes through mapped memory, it forgets what is older than ``WatchLimits/reconcile``.
package final class DiffCache: Sendable {
  /// What a diff depends on, as far as it is known without making it.
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
    /// What the configuration would run, and whether it may.
    var trust: GitState.Trust?
    /// What comes before commits.
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
  ///   - key: What it depends on now.
  ///   - now: The moment, by the watch clock.
  /// - Returns: The tag; `nil` if the diff has to be made to know.
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
  ///   - key: What it depended on before it was made.
  ///   - at: When that was, by the watch clock.
  package func remember(_ tag: String, of path: String, _ key: Key, at: Double) {
    made.withLock { $0[path] = Made(key: key, tag: tag, at: at) }
  }

  /// Forgets a worktree.
  func forget(_ path: String) { made.withLock { $0[path] = nil } }
}
