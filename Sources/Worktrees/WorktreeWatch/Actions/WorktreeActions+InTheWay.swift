import Git
import Workspaces

extension WorktreeActions {
  /// The paths that one commit or tree has and another has not.
  func added(
    from old: String,
    to new: String,
    in folder: String,
    _ variables: [String: String] = [:]
  ) async throws -> [[UInt8]] {
    let answer = try await runner.run(
      ["diff-tree", "-r", "-z", "--no-renames", "--name-only", "--diff-filter=A", old, new],
      in: folder,
      timeout: WatchLimits.diffTimeout,
      variables: variables
    )
    return answer.output.split(separator: 0).map(Array.init)
  }

  /// Returns the paths that a rebase may rewrite: those of the commit it begins on, and those each commit adds.
  func replayed(_ workspace: Workspace, onto commit: String) async throws -> [[UInt8]] {
    let answer = try await runner.run(
      [
        "log", "-z", "--format=", "--no-show-signature", "--no-renames", "--name-only",
        "--diff-filter=A", "\(commit)..HEAD", "--",
      ],
      in: workspace.path,
      timeout: WatchLimits.diffTimeout
    )
    let picked = answer.output.split(separator: 0).map(Array.init)
    let new = try await added(from: "HEAD", to: commit, in: workspace.path) + picked
    let renames = try await folderRenames(workspace.path, onto: commit)
    return new + renames.places(of: new)
  }

  /// The renames of folders with which a rebase moves what is new in a folder that the other side has renamed.
  private func folderRenames(_ folder: String, onto commit: String) async throws -> FolderRenames {
    let base = try await runner.run(
      ["merge-base", "HEAD", commit],
      in: folder,
      timeout: WatchLimits.diffTimeout,
      accepted: 0...1
    )
    let names = [
      "-r", "-z", "-M", "-l\(WatchLimits.renamesCompared)", "--diff-filter=R", "--name-status",
    ]
    var renames = FolderRenames()
    if base.code == 0 {
      let theirs = try await runner.run(
        ["diff-tree"] + names + [base.text, commit],
        in: folder,
        timeout: WatchLimits.diffTimeout
      )
      renames.note(theirs.output)
    }
    let own = try await runner.run(
      ["log", "--format=", "--no-show-signature"] + names + ["\(commit)..HEAD", "--"],
      in: folder,
      timeout: WatchLimits.diffTimeout
    )
    renames.note(own.output)
    return renames
  }

  /// Demands that nothing is at paths about to be written but what git tracks.
  ///
  /// Git itself takes what is ignored for worthless and writes over it (gitignore(5)).
  ///
  /// - Parameters:
  ///   - paths: The paths within the worktree.
  ///   - folder: The worktree.
  /// - Throws: ``ActionRefusal`` with the paths of what is in the way; ``GitRunner/Failure``.
  func requireNothingInTheWay(_ paths: [[UInt8]], in folder: String) async throws {
    var suspects: [[UInt8]: HostFile.Kind] = [:]
    for path in paths {
      let ends = path.indices.filter { path[$0] == 0x2F } + [path.endIndex]
      for end in ends {
        let part = Array(path[..<end])
        guard let kind = HostFile.kindOfItself(Array(folder.utf8) + [0x2F] + part) else { break }
        if end == path.endIndex || kind != .folder { suspects[part] = kind }
        if kind != .folder { break }
      }
    }
    guard !suspects.isEmpty else { return }
    let list = try await runner.run(
      ["ls-files", "-z"],
      in: folder,
      timeout: WatchLimits.diffTimeout
    )
    let tracked = Set(list.output.split(separator: 0).map(Array.init))
    var files: [String] = []
    for (path, kind) in suspects where !tracked.contains(path) {
      let name = String(decoding: path, as: UTF8.self)
      guard kind == .folder else {
        files.append(name)
        continue
      }
      let within = try await runner.run(
        ["ls-files", "--others", "-z", "--", ":(top,literal)" + name],
        in: folder,
        timeout: WatchLimits.diffTimeout
      )
      files += within.output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }
    guard !files.isEmpty else { return }
    throw ActionRefusal(
      .wouldOverwrite,
      "\(files.count) \(files.count == 1 ? "path" : "paths") in \(folder) would be written over that git does not track",
      files: Array(NameSet(files).sorted().prefix(GitLimits.conflictNames))
    )
  }
}
