package import Git
import Synchronization
package import Workspaces

/// The state of a worktree at one instant.
package struct WorktreeScan: Hashable, Sendable {
  /// What `git status` says.
  package var status = WorktreeStatus()
  /// The operation in progress, if any.
  package var operation: GitOperation?
  /// The branch it is compared with.
  package var source: GitRefs.Source?
  /// The history settings when the commits were counted.
  package var history: RepositoryScan.History?
  /// Commits only the worktree has, and only the source.
  package var counts = CommitCounts(left: 0, right: 0)
  /// When HEAD moved last, in seconds since 1970.
  package var movedAt = 0.0
  /// When the worktree was made, in seconds since 1970.
  package var madeAt = 0.0
  /// Why it is locked, empty without a reason; `nil` if it is not.
  package var locked: String?
  /// The programs in the repository's configuration; `nil` without programs.
  package var trust: GitState.Trust?
  /// The folder that `core.worktree` leads git to, if it is another than the worktree.
  package var displaced: String?
  /// Why git failed; then the rest is as it was last known.
  package var problem: String?

  /// Asks git for the status, and for the counts if commits have changed.
  ///
  /// - Parameters:
  ///   - layout: Where the worktree is.
  ///   - source: The branch it is compared with.
  ///   - history: The settings that determine the parents of commits.
  ///   - before: The previous state.
  ///   - runner: Runs git.
  /// - Returns: The current state.
  /// - Throws: ``GitRunner/Failure``, `CancellationError`.
  package static func run(
    _ layout: GitLayout,
    source: GitRefs.Source?,
    history: RepositoryScan.History? = nil,
    before: WorktreeScan?,
    runner: GitRunner
  ) async throws -> WorktreeScan {
    let reader = Mutex(WorktreeStatusReader())
    _ = try await runner.run(
      [
        "status", "--porcelain=v2", "--branch", "--show-stash", "--untracked-files=normal", "-z",
      ],
      in: layout.worktree
    ) { bytes in
      try reader.withLock { reader throws(GitOutputError) in try reader.consume(bytes) }
    }
    var scan = WorktreeScan()
    do throws(GitOutputError) {
      scan.status = try reader.withLock { reader throws(GitOutputError) in try reader.end() }
    } catch {
      throw GitRunner.Failure.unreadable(error.description)
    }
    scan.status.branch = SymbolicHead.name(scan.status.branch, in: layout.gitDirectory)
    scan.operation = operation(layout.gitDirectory)
    scan.locked = HostFile.text(HostFile.join(layout.gitDirectory, "locked"))
    scan.source = source
    scan.history = history
    let findings = try await runner.findings(in: layout.worktree)
    scan.trust = findings?.shown
    scan.displaced = findings?.displaced
    if let head = scan.status.head, let source {
      if let before, before.problem == nil, before.status.head == head,
        before.source?.object == source.object, before.history == history
      {
        scan.counts = before.counts
      } else if head != source.object {
        scan.counts = try await counts(head, source.object, layout, runner)
      }
    }
    let moved = ["HEAD", "logs/HEAD"].compactMap {
      HostFile.changedAt(HostFile.join(layout.gitDirectory, $0))
    }
    scan.movedAt = moved.max() ?? 0
    // `commondir` of a linked worktree and `description` of a repository are written once.
    let made = ["commondir", "description", "config"].lazy.compactMap {
      HostFile.changedAt(HostFile.join(layout.gitDirectory, $0))
    }
    scan.madeAt = made.first ?? scan.movedAt
    return scan
  }

  private static func counts(
    _ head: String,
    _ source: String,
    _ layout: GitLayout,
    _ runner: GitRunner
  ) async throws -> CommitCounts {
    let answer = try await runner.run(
      ["rev-list", "--left-right", "--count", "\(head)...\(source)", "--"],
      in: layout.worktree
    )
    do throws(GitOutputError) {
      return try CommitCounts(answer.output)
    } catch {
      throw GitRunner.Failure.unreadable(error.description)
    }
  }

  /// The operation in progress in the worktree of a git directory.
  package static func operation(_ directory: String) -> GitOperation? {
    GitOperation.find(
      exists: { HostFile.kind(HostFile.join(directory, $0)) != nil },
      content: { HostFile.text(HostFile.join(directory, $0)) }
    )
  }
}
