import Git
package import Workspaces

/// Reads the changes of a worktree since it left its source: commits, staged and unstaged changes, and new files.
package struct DiffReader: Sendable {
  private let runner: GitRunner

  /// Creates a reader.
  package init(runner: GitRunner) { self.runner = runner }

  /// What makes a diff the same whatever the user's configuration says.
  static let plain = [
    "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/",
    "--no-relative", "--submodule=short",
  ]

  /// Reads the diff of a worktree.
  ///
  /// - Parameters:
  ///   - workspace: The worktree as it is shown.
  ///   - source: The commit or ref it is compared with; `nil` compares with HEAD.
  /// - Returns: The diff within the limits.
  /// - Throws: ``GitRunner/Failure``, `CancellationError`.
  package func diff(of workspace: Workspace, source: String?) async throws -> WorkspaceDiff {
    let folder = workspace.path
    let base = try await base(workspace, source)
    let arguments = Self.plain + ["-M", base]
    let names = try await run(["diff", "--name-status", "-z"] + arguments, folder)
    let counts = try await run(["diff", "--numstat", "-z"] + arguments, folder)
    let paths: [ChangedPath]
    do throws(GitOutputError) {
      paths = try ChangedPath.list(nameStatus: names, numstat: counts)
    } catch {
      throw GitRunner.Failure.unreadable(error.description)
    }
    let shown = paths.prefix(WatchLimits.diffFiles)
    var texts: NameTable<UnifiedDiff.File> = [:]
    if !shown.isEmpty {
      // Paths are literal: `:(literal)` disables the meaning of stars and colons in names.
      let specs = shown.flatMap { [$0.oldPath, $0.path].compactMap(\.self) }
        .map { ":(top,literal)" + $0 }
      let patch = try await run(["diff"] + arguments + ["--"] + specs, folder)
      for file in UnifiedDiff.files(patch) where texts[file.path] == nil { texts[file.path] = file }
    }
    var isTruncated = shown.count < paths.count
    var files: [WorkspaceDiff.File] = shown.map { path in
      var file = WorkspaceDiff.File(filePath: path.path, changeType: path.kind.rawValue)
      file.oldPath = path.oldPath
      (file.added, file.removed) = (path.added, path.removed)
      let text = texts[path.path]
      if let text, text.isBinary {
        file.omitted = "binary"
      } else if let text, text.text.utf8.count > WatchLimits.diffFileBytes {
        file.omitted = "too_large"
        isTruncated = true
      } else {
        file.diffText = text?.text
      }
      return file
    }
    let new = try await newFiles(folder)
    for path in new.prefix(max(0, WatchLimits.diffFiles - files.count)) {
      let (file, isCut) = addition(path, folder)
      files.append(file)
      isTruncated = isTruncated || isCut
    }
    let total = paths.count + new.count
    isTruncated = isTruncated || files.count < total
    let added = files.compactMap(\.added).reduce(0, +)
    let removed = files.compactMap(\.removed).reduce(0, +)
    return WorkspaceDiff(
      worktreeId: workspace.id,
      worktreeName: workspace.name,
      sourceBranch: workspace.sourceBranch,
      forkCommit: workspace.git.head == nil ? "" : base,
      fileDiffs: files.sorted { $0.filePath < $1.filePath },
      totalFiles: total,
      summary: "\(total) \(total == 1 ? "file" : "files") changed, +\(added) -\(removed)",
      isTruncated: isTruncated
    )
  }

  private func base(_ workspace: Workspace, _ source: String?) async throws -> String {
    guard workspace.git.head != nil else {
      // The tree without files, which every git knows; its name depends on the repository's hash.
      return try await runner.run(["hash-object", "-t", "tree", "--stdin"], in: workspace.path).text
    }
    // By name, so that the answer is of the commit that is checked out now.
    let head = "HEAD"
    guard let source else { return head }
    let answer = try await runner.run(
      ["merge-base", head, source],
      in: workspace.path,
      timeout: WatchLimits.diffTimeout,
      accepted: 0...1
    )
    return answer.code == 0 ? answer.text : head
  }

  private func run(_ arguments: [String], _ folder: String) async throws -> [UInt8] {
    try await runner.run(arguments, in: folder, timeout: WatchLimits.diffTimeout).output
  }

  private func newFiles(_ folder: String) async throws -> [String] {
    let bytes = try await run(
      ["ls-files", "--others", "--exclude-standard", "-z", "--full-name"],
      folder
    )
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  private func addition(_ path: String, _ folder: String) -> (WorkspaceDiff.File, isCut: Bool) {
    var file = WorkspaceDiff.File(filePath: path, changeType: "added (untracked)")
    let place = HostFile.join(folder, path)
    switch HostFile.kindOfItself(place) {
    case .file: break
    // It is not followed: it may lead out of the worktree.
    case .link: file.omitted = "symbolic_link"
    // Of folders git names only those that are repositories themselves.
    case .folder: file.omitted = "repository"
    case .other, nil: file.omitted = "unreadable"
    }
    guard file.omitted == nil else { return (file, false) }
    guard let content = HostFile.bytes(place, limit: WatchLimits.newFileBytes) else {
      let isLarge = HostFile.stamp(place).map { $0[1] > WatchLimits.newFileBytes } ?? false
      file.omitted = isLarge ? "too_large" : "unreadable"
      return (file, isLarge)
    }
    guard let (text, lines) = UnifiedDiff.addition(of: path, content: content) else {
      file.omitted = "binary"
      return (file, false)
    }
    (file.added, file.removed) = (lines, 0)
    if text.utf8.count > WatchLimits.diffFileBytes {
      file.omitted = "too_large"
      return (file, true)
    }
    file.diffText = text
    return (file, false)
  }
}
