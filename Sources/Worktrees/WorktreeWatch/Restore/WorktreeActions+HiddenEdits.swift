import Git
import Workspaces

extension WorktreeActions {
  /// The paths in which two commits or trees differ.
  func changed(
    from old: String,
    to new: String,
    in folder: String,
    _ variables: [String: String] = [:]
  ) async throws -> Set<[UInt8]> {
    let answer = try await runner.run(
      ["diff-tree", "-r", "-z", "--no-renames", "--name-only", old, new],
      in: folder,
      timeout: WatchLimits.diffTimeout,
      variables: variables
    )
    return Set(answer.output.split(separator: 0).map(Array.init))
  }

  /// The paths that a merge of a commit may write: those that differ from where it left what is checked out.
  func incoming(_ commit: String, in folder: String) async throws -> Set<[UInt8]> {
    let base = try await runner.run(
      ["merge-base", "HEAD", commit],
      in: folder,
      timeout: WatchLimits.diffTimeout,
      accepted: 0...1
    )
    guard base.code == 0 else {
      let all = try await runner.run(
        ["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit],
        in: folder,
        timeout: WatchLimits.diffTimeout
      )
      return Set(all.output.split(separator: 0).map(Array.init))
    }
    return try await changed(from: base.text, to: commit, in: folder)
  }

  /// The paths that a rebase may write: those in which what is checked out differs from where it begins, and those of each
  /// commit that is made again.
  func touched(onto commit: String, in folder: String) async throws -> Set<[UInt8]> {
    let answer = try await runner.run(
      [
        "log", "-z", "--format=", "--no-show-signature", "--no-renames", "--name-only",
        "\(commit)..HEAD", "--",
      ],
      in: folder,
      timeout: WatchLimits.diffTimeout
    )
    let picked = answer.output.split(separator: 0).map(Array.init)
    return try await changed(from: "HEAD", to: commit, in: folder).union(picked)
  }

  /// Throws if any of some paths has an edit that git was configured to skip: git would overwrite it.
  ///
  /// - Throws: ``ActionRefusal`` with the files; ``GitRunner/Failure``.
  func requireNoHiddenEdit(_ folder: String, among paths: Set<[UInt8]>) async throws {
    do {
      try await requireNoHiddenEdit(folder, sparse: true)
    } catch let refusal as ActionRefusal {
      let files = refusal.files.filter { paths.contains(Array($0.utf8)) }
      // Only the first of many are named; then it is unknown which of them would be written.
      guard !files.isEmpty || refusal.files.count >= GitLimits.conflictNames else { return }
      throw refusal
    }
  }
}
