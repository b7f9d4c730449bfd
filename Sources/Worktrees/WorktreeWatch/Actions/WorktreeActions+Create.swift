import Git
import Glibc
package import Workspaces

extension WorktreeActions {
  /// Creates a worktree with a new branch, or of an existing one.
  ///
  /// - Parameters:
  ///   - repository: The id of the repository, or its path.
  ///   - branch: The branch; `nil` makes one of the name.
  ///   - name: The name of the folder; `nil` takes the branch's name.
  ///   - source: The start of a new branch; `nil` for the repository's default branch.
  ///   - repeating: Which unused worktree is returned instead of a further one; `nil` for none.
  /// - Returns: The worktree, after its first scan.
  /// - Throws: ``ActionRefusal``, ``GitRunner/Failure``.
  package func create(
    repository: String,
    branch: String?,
    name: String?,
    source: String?,
    repeating: Repetition? = nil
  ) async throws -> Workspace {
    let found = await watcher.repositories(named: repository)
    guard let place = found.first else {
      throw ActionRefusal(.repositoryNotFound, "there is no repository \(repository.prefix(80))")
    }
    guard found.count == 1 else {
      throw ActionRefusal(
        .invalidParameter,
        "\(found.count) repositories are called \(repository.prefix(80)); give the path of one: "
          + found.map(\.commonDirectory).joined(separator: ", ")
      )
    }
    try await requireWatched(place.commonDirectory)
    try await requireTrusted(place.commonDirectory, "to make a worktree")
    guard let name = name ?? branch?.split(separator: "/").joined(separator: "-"),
      Self.isFolderName(name)
    else {
      throw ActionRefusal(
        .invalidParameter,
        "name is to be 1 to 100 letters, digits, dots, dashes and underscores; no dot or dash at the start"
      )
    }
    let branch = branch ?? name
    let valid = try await runner.run(
      ["check-ref-format", "--branch", branch],
      in: place.commonDirectory,
      accepted: 0...128
    )
    guard valid.code == 0, !branch.hasPrefix("-") else {
      throw ActionRefusal(.invalidParameter, "\(branch.prefix(80)) cannot be the name of a branch")
    }
    return try await watcher.turns.run(place.commonDirectory, mayWait: runner.requireTime) {
      // What was committed a moment ago is what the branch starts from.
      await watcher.refreshRepository(place.commonDirectory)
      let now = await watcher.repositories(named: place.commonDirectory).first ?? place
      if let repeating,
        let made = try await unused(in: now, repeating, from: Self.start(of: source, in: now))
      {
        return made
      }
      return try await add(now, branch: branch, name: name, source: source)
    }
  }

  /// The start of a new branch.
  private static func start(of source: String?, in place: RepositoryScan) -> String {
    source ?? place.source?.object ?? "HEAD"
  }

  private func add(
    _ place: RepositoryScan,
    branch: String,
    name: String,
    source: String?
  ) async throws -> Workspace {
    let main = place.members.first { $0.isMain }?.layout.worktree ?? place.commonDirectory
    let folder = main + ".worktrees/" + name
    guard HostFile.kindOfItself(folder) == nil else {
      throw ActionRefusal(.alreadyExists, "\(folder) is there already", files: [folder])
    }
    let start = Self.start(of: source, in: place)
    guard !start.hasPrefix("-") else {
      throw ActionRefusal(.invalidParameter, "source cannot begin with a dash")
    }
    let exists = try await runner.run(
      ["show-ref", "--verify", "--quiet", "refs/heads/\(branch)"],
      in: place.commonDirectory,
      accepted: 0...1
    )
    if exists.code == 0,
      let holder = place.members.first(where: {
        $0.entry.branch?.isSameName(as: "refs/heads/" + branch) ?? false
      })
    {
      throw ActionRefusal(
        .alreadyExists,
        "\(branch) is checked out in \(holder.layout.worktree)",
        files: [holder.layout.worktree]
      )
    }
    if exists.code != 0 { try await requireRoom(for: branch, from: start, in: place, source) }
    var arguments = ["worktree", "add", "--quiet"]
    arguments += exists.code == 0 ? [folder, branch] : ["-b", branch, "--no-track", folder, start]
    let around = main + ".worktrees"
    try makeFolder(around)
    // It goes again if nothing was made in it.
    defer { rmdir(around) }
    _ = try await act(arguments, in: place.commonDirectory, writable: [around])
    await watcher.refreshRepository(place.commonDirectory)
    let path = HostFile.realPath(folder) ?? folder
    await watcher.refresh(path)
    guard let made = store.record(WorkspaceIdentity.id(of: path))?.workspace else {
      throw ActionRefusal(.gitFailed, "\(path) was made and cannot be found")
    }
    return made
  }

  /// Makes the folder that worktrees are made in.
  ///
  /// - Throws: ``ActionRefusal`` if it is a link, which may lead anywhere.
  private func makeFolder(_ path: String) throws(ActionRefusal) {
    mkdir(path, 0o777)
    guard HostFile.kindOfItself(path) == .link else { return }
    throw ActionRefusal(
      .outsideWatchedFolders,
      "\(path) is a link; worktrees are made in a folder",
      files: [path]
    )
  }

  private static func isFolderName(_ name: String) -> Bool {
    guard (1...100).contains(name.utf8.count), let first = name.utf8.first else { return false }
    return first != 0x2D && first != 0x2E
      && name.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
      }
  }
}
