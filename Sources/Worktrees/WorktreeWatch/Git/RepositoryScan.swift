package import Git
package import Workspaces

/// The state of a repository: its worktrees, and the branch they are compared with.
package struct RepositoryScan: Hashable, Sendable {
  /// A worktree with its places.
  package struct Member: Hashable, Sendable {
    /// What git says of it.
    package var entry: WorktreeEntry
    /// Where its parts are.
    package var layout: GitLayout
    /// Whether it is the one that came with the repository.
    package var isMain: Bool
  }

  /// The common directory.
  package var commonDirectory: String
  /// `owner/repository` of the remote, else `local/folder`.
  package var id: String
  /// The name without the owner.
  package var name: String
  /// The worktrees that exist.
  package var members: [Member]
  /// The number of worktrees that git lists but that do not exist, or whose paths are not UTF-8.
  package var missing: Int
  /// The same with their reasons.
  package var omissions: [Omission] = []
  /// The branch its worktrees are compared with.
  package var source: GitRefs.Source?
  /// The objects of refs that the states of worktrees depend on: the stash and the branches they follow.
  package var followed: NameTable<String>
  /// Identifies a state of the files that determine how git sees the repository.
  package var settings: SettingsFiles.Stamps
  /// The part that concerns every worktree: values of the configuration, and stamps of the other files.
  package var sight: Sight
  /// What else than commits themselves decides what comes before them.
  package var history: History
  /// Identifies a state of the log of the stash, which alone has all entries but the first.
  package var stashLog: [Int]?
  /// Identifies the programs of its configuration, and says whether they are trusted.
  package var trust: GitState.Trust?

  /// How git sees all worktrees of a repository, and each of its branches.
  package struct Sight: Hashable, Sendable {
    /// Values of the configuration that may concern every worktree.
    package var common: [String: [String]]
    /// Identifies a state of the other files: ignore rules, attributes.
    package var files: SettingsFiles.Stamps
    /// Values of the configuration of single branches.
    package var branches: [String: [String]]

    /// Whether the settings of a branch are others than before.
    func differs(from before: Sight?, for branch: String?) -> Bool {
      guard let before, let branch else { return before == nil }
      let prefix = "branch.\(branch)."
      return branches.filter { $0.key.hasPrefix(prefix) }
        != before.branches.filter { $0.key.hasPrefix(prefix) }
    }
  }

  /// The settings beyond the commits that determine their parents: where a shallow clone ends, grafts, and
  /// replacements.
  package struct History: Hashable, Sendable {
    /// Identifies a state of `shallow`.
    package var shallow: [Int]?
    /// Identifies a state of `info/grafts`.
    package var grafts: [Int]?
    /// The replacement objects, by ref.
    package var replacements: NameTable<String>
  }

  /// Asks git.
  ///
  /// - Parameters:
  ///   - common: The common directory.
  ///   - upstreams: The branches that worktrees follow, such as `origin/main`.
  ///   - runner: Runs git.
  /// - Returns: The current state.
  /// - Throws: ``GitRunner/Failure``, `CancellationError`.
  package static func run(
    _ common: String,
    upstreams: NameSet = [],
    runner: GitRunner
  ) async throws -> Self {
    let shallow = HostFile.stamp(HostFile.join(common, "shallow"))
    let grafts = HostFile.stamp(HostFile.join(common, "info/grafts"))
    let stashLog = HostFile.stamp(HostFile.join(common, "logs/refs/stash"))
    guard let findings = try await runner.findings(in: common) else {
      throw GitRunner.Failure.unreadable("\(common) is not a repository any more")
    }
    let configuration = findings.settings
    let settings = SettingsFiles.stamps(SettingsFiles.paths(configuration, of: common))
    let files = Set(configuration.files.map { HostFile.join(common, $0) })
    let list = try await runner.run(["worktree", "list", "--porcelain", "-z"], in: common)
    let entries: [WorktreeEntry]
    do throws(GitOutputError) {
      entries = try WorktreeEntry.list(list.output)
    } catch {
      throw GitRunner.Failure.unreadable(error.description)
    }
    var members: [Member] = []
    var missing = 0
    var omissions: [Omission] = []
    for (index, entry) in entries.enumerated() where !entry.isBare {
      guard entry.isPathExact, let path = HostFile.realPath(entry.path),
        case .worktree(let layout)? = GitLayout.find(path),
        layout.commonDirectory.isSameName(as: common),
        index == 0 || layout.isAmongWorktrees
      else {
        missing += 1
        omissions.append(Omission(entry, of: common))
        continue
      }
      members.append(Member(entry: entry, layout: layout, isMain: index == 0))
    }
    let mainBranch = entries.first?.branch
    var names = GitRefs.candidates
    if let name = mainBranch?.name(after: "refs/heads/") { names.append(name) }
    let followed =
      [FollowedRefs.stash] + upstreams.flatMap(FollowedRefs.refs)
    let wanted = NameSet(followed)
    let patterns =
      ["refs/remotes/origin/HEAD", replacements] + followed
      + names.flatMap { ["refs/remotes/origin/\($0)", "refs/heads/\($0)"] }
    var refs = try await refs(patterns, common, runner)
    if let target = refs.targets["refs/remotes/origin/HEAD"], refs.objects[target] == nil {
      refs.objects.merge(try await Self.refs([target], common, runner).objects)
    }
    let folder = Self.folderName(entries.first?.path ?? common)
    let id = configuration["remote.origin.url"].flatMap(RemoteName.read) ?? "local/\(folder)"
    return Self(
      commonDirectory: common,
      id: id,
      name: id.split(separator: "/").last.map(String.init) ?? folder,
      members: members,
      missing: missing,
      omissions: omissions,
      source: refs.source(mainBranch: mainBranch),
      followed: refs.objects.filter { wanted.contains($0.key) },
      settings: settings,
      sight: Sight(
        common: configuration.common,
        files: settings.filter { path, _ in
          let name = path.split(separator: "/").last ?? ""
          return !files.contains(path) && name != "config" && name != ".gitconfig"
        },
        branches: configuration.branches
      ),
      history: History(
        shallow: shallow,
        grafts: grafts,
        replacements: refs.objects.filter { $0.key.hasPrefix(replacements) }
      ),
      stashLog: stashLog,
      trust: findings.shown
    )
  }

  private static let replacements = "refs/replace/"

  private static func refs(
    _ patterns: [String],
    _ common: String,
    _ runner: GitRunner
  ) async throws -> GitRefs {
    let answer = try await runner.run(
      ["for-each-ref", "--format=\(GitRefs.format)"] + patterns,
      in: common
    )
    do throws(GitOutputError) {
      return try GitRefs(answer.output)
    } catch {
      throw GitRunner.Failure.unreadable(error.description)
    }
  }

  /// The name of a repository's folder: without `.git` at the end, and the one around a `.git`.
  private static func folderName(_ path: String) -> String {
    var parts = path.split(separator: "/")
    if parts.last == ".git" { parts.removeLast() }
    guard let last = parts.last else { return "repository" }
    return last.hasSuffix(".git") && last.count > 4 ? String(last.dropLast(4)) : String(last)
  }
}
