import ConditionalHTTP
package import Git
import Glibc
import Synchronization
package import Workspaces

/// Knows what the configuration of each repository would run, and what keeps git from running it.
///
/// The options for git follow from the configuration as it is directly before git starts. ``Containment`` stops what
/// changes while git runs, and what a repository within another one names.
package final class ProgramGuard: Sendable {
  /// The known facts about a repository as one of its worktrees sees it.
  package struct Findings: Sendable {
    /// Where git works.
    var place: GitPlace
    /// The common directory.
    package var common: String
    /// The folder in which git was asked, to which the names of files are relative.
    package var asked: String
    /// The configuration.
    package var settings: GitSettings
    /// The programs.
    package var programs: ConfiguredPrograms
    /// Whether hooks are content of a worktree, which are never run.
    var hooksAreContent: Bool
    /// Identifies these programs; `nil` without programs.
    package var digest: String?
    /// Whether a person trusts exactly these programs.
    package var isTrusted: Bool
    /// The folder that `core.worktree` leads to, if it is another than the worktree.
    package var displaced: String?

    /// Whether git is kept from running what it names.
    package var isNeutral: Bool { programs.hasActions && !isTrusted }

    /// Why something is not done without trust.
    package func refusal(_ what: String, _ use: ProgramKey.Use = .action) -> ActionRefusal {
      let named = programs.programs.filter { $0.use == use }
        .map { String(decoding: $0.key + Array(" = ".utf8) + $0.command, as: UTF8.self) }
      return ActionRefusal(
        .untrustedRepository,
        "\(what) might run programs of the configuration of \(common), which is not trusted",
        files: named.prefix(WatchLimits.shownPrograms).map {
          String($0.prefix(WatchLimits.shownCommandBytes))
        }
      )
    }

    /// The state as shown to clients; `nil` without programs.
    package var shown: GitState.Trust? {
      guard let digest else { return nil }
      return GitState.Trust(
        state: isTrusted ? .trusted : .untrusted,
        digest: digest,
        programs: programs.programs.prefix(WatchLimits.shownPrograms).map { program in
          GitState.Program(
            key: String(decoding: program.key, as: UTF8.self),
            command: String(
              decoding: program.command.prefix(WatchLimits.shownCommandBytes),
              as: UTF8.self
            ),
            file: program.file.map { HostFile.join(asked, $0) },
            use: program.use.rawValue
          )
        },
        count: programs.programs.count
      )
    }
  }

  private struct Known {
    var settings: GitSettings
    var stamps: [[Int]?]
    var files: [String]
  }

  private let known = Mutex<[[UInt8]: Known]>([:])
  private let roots: [String]
  /// The person's folder.
  let home: String?
  /// Where programs are, as in `PATH`.
  let folders: String
  /// What persons trust.
  package let trust: TrustedRepositories

  /// Creates a guard.
  ///
  /// - Parameters:
  ///   - roots: The watched folders: a configuration in them does not count as the user's own.
  ///   - trust: The trusted repositories.
  package init(roots: [String] = [], trust: TrustedRepositories = TrustedRepositories()) {
    self.roots = roots.compactMap { HostFile.realPath($0) }
    self.trust = trust
    // A relative folder would lead into the worktree.
    folders = ProgramSearch.absolute(getenv("PATH").map { String(cString: $0) })
      .joined(separator: ":")
    home = getenv("HOME").flatMap { HostFile.realPath(String(cString: $0)) }
  }

  /// What the configuration names that git sees in a folder.
  ///
  /// - Parameters:
  ///   - folder: A worktree, a submodule or a repository without a worktree.
  ///   - list: Runs `git config` with arguments there.
  /// - Returns: The findings; `nil` if the folder is not a repository.
  /// - Throws: What `list` throws; ``GitRunner/Failure``.
  package func findings(
    in folder: String,
    list: ([String]) async throws -> [UInt8]
  ) async throws -> Findings? {
    guard let place = try Self.place(folder) else { return nil }
    let common = place.common
    // One list serves all worktrees, unless it has parts for one of them.
    var asked = place.isSubmodule ? folder : common
    var settings = try await read(asked, place, list)
    if settings.dependsOnWorktree, asked != folder {
      asked = folder
      settings = try await read(asked, place, list)
    }
    let worktree = folder
    func isOwn(_ entry: GitSettings.Entry) -> Bool {
      switch entry.scope {
      case .local, .worktree, .other: return true
      case .command: return false
      case .system, .global:
        guard let file = entry.file, file.hasPrefix("/") else { return false }
        // The person's configuration may lead into a folder in which others write.
        if HostFile.isWithin(file, common) || HostFile.isWithin(file, worktree) { return true }
        return roots.contains { root in
          HostFile.isWithin(file, root) && !(home.map { HostFile.isWithin($0, root) } ?? false)
        }
      }
    }
    let hooks = HookFiles.find(settings, in: worktree, common, isOwn: isOwn)
    let programs = ConfiguredPrograms(settings, hooks: hooks.programs, isOwn: isOwn)
    guard !programs.isExcessive else {
      throw GitRunner.Failure.unreadable(
        "the configuration of \(common) names more than \(GitLimits.drivers) filters and merge drivers"
      )
    }
    let digest = programs.programs.isEmpty ? nil : Self.digest(programs.canonical)
    return Findings(
      place: place,
      common: common,
      asked: asked,
      settings: settings,
      programs: programs,
      hooksAreContent: hooks.areContent,
      digest: digest,
      isTrusted: digest.map { trust.isTrusted($0, of: common) } ?? false,
      displaced: place.displaced(settings)
    )
  }

  /// Reads a configuration, unless none of its files has changed since it was read.
  private func read(
    _ asked: String,
    _ place: GitPlace,
    _ list: ([String]) async throws -> [UInt8]
  ) async throws -> GitSettings {
    let key = Array(asked.utf8)
    if let known = known.withLock({ $0[key] }), Self.stamps(known.files) == known.stamps {
      return known.settings
    }
    let begun = WatchClock.wall
    let output = try await list(GitSettings.options)
    let settings: GitSettings
    do throws(GitOutputError) {
      settings = try GitSettings(output)
    } catch {
      throw GitRunner.Failure.unreadable(error.description)
    }
    var files = SettingsFiles.paths(settings, of: place.common, asked: asked)
    let isWhole = files.count < WatchLimits.settingsFiles
    for file in files where HostFile.kind(file) == .other {
      throw GitRunner.Failure.unreadable("\(file) is not a file")
    }
    files += ["HEAD", "config.worktree", "commondir"].map { HostFile.join(place.directory, $0) }
    let stamps = Self.stamps(files)
    // What changed a moment before it was read, or since, may have changed again without a trace.
    let isCertain = files.allSatisfy { file in
      HostFile.statusChangedAt(file).map { $0 < begun - WatchLimits.settled } ?? true
    }
    known.withLock { known in
      guard isCertain, isWhole else {
        known[key] = nil
        return
      }
      if known.count >= WatchLimits.worktrees * 2 { known.removeAll() }
      known[key] = Known(settings: settings, stamps: stamps, files: files)
    }
    return settings
  }

  /// Where git works in a folder.
  ///
  /// - Throws: ``GitRunner/Failure`` if that cannot be determined.
  static func place(_ folder: String) throws(GitRunner.Failure) -> GitPlace? {
    do throws(GitPlace.Ambiguity) {
      return try GitPlace.find(folder)
    } catch {
      throw .unreadable(error.reason)
    }
  }

  private static func stamps(_ files: [String]) -> [[Int]?] {
    files.map { HostFile.identity($0) }
  }

  private static func digest(_ bytes: [UInt8]) -> String {
    SHA256.hash(bytes).map { byte in
      let digits = String(byte, radix: 16)
      return digits.utf8.count == 1 ? "0" + digits : digits
    }.joined()
  }
}
