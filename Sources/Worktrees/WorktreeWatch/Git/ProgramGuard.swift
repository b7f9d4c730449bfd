import ConditionalHTTP
package import Git
import Glibc
import Synchronization
package import Workspaces

/// Knows what the configuration of each repository would run, and what keeps git from running it.
///
/// What git is told follows from the configuration as it is directly before git starts. What changes while git runs,
/// and what a repository within another one names, ``Containment`` stops.
package final class ProgramGuard: Sendable {
  /// What is known of a repository as one of its worktrees sees it.
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
    /// Tells these programs from others; `nil` if there are none.
    package var digest: String?
    /// Whether a person trusts exactly these programs.
    package var isTrusted: Bool
    /// The folder that `core.worktree` leads to, if it is another than the worktree.
    package var displaced: String?

    /// Whether git is kept from running what it names.
    package var isNeutral: Bool { programs.hasActions && !isTrusted }

    /// Why something is not done without trust.
    package func refusal(_ what: String) -> ActionRefusal {
      let named = programs.programs.filter { $0.use == .action }
        .map { String(decoding: $0.key + Array(" = ".utf8) + $0.command, as: UTF8.self) }
      return ActionRefusal(
        .untrustedRepository,
        "\(what) might run what the configuration of \(common) names, and nobody trusts it",
        files: named.prefix(WatchLimits.shownPrograms).map {
          String($0.prefix(WatchLimits.shownCommandBytes))
        }
      )
    }

    /// As it is shown; `nil` if there are no programs.
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

  /// What git is given beside its arguments.
  struct Protection: Sendable {
    var settings: [ConfiguredPrograms.Setting] = []
    var containment = Containment.none
    /// Whether git is to leave alone what is in submodules, as nothing else would keep their programs from running.
    var skipsSubmodules = false
  }

  private struct Known {
    var settings: GitSettings
    var stamps: [[Int]?]
    var files: [String]
  }

  private let known = Mutex<[[UInt8]: Known]>([:])
  private let roots: [String]
  private let home: String?
  /// What persons trust.
  package let trust: TrustedRepositories

  /// Creates a guard.
  ///
  /// - Parameters:
  ///   - roots: The folders that are watched: a configuration in them is nobody's own.
  ///   - trust: What persons trust.
  package init(roots: [String] = [], trust: TrustedRepositories = TrustedRepositories()) {
    self.roots = roots.compactMap { HostFile.realPath($0) }
    self.trust = trust
    home = getenv("HOME").flatMap { HostFile.realPath(String(cString: $0)) }
  }

  /// The commands of git that read and run nothing that a configuration names.
  private static let plain: Set<String> = [
    "check-ignore", "check-ref-format", "config", "for-each-ref", "hash-object", "ls-files",
    "merge-base", "rev-list", "rev-parse", "show-ref", "version", "worktree",
  ]

  /// What keeps git from running programs.
  ///
  /// - Parameters:
  ///   - command: The command of git.
  ///   - folder: Where it runs.
  ///   - isHarmless: Whether a command that changes something runs nothing if git is kept from it: it checks out nothing
  ///     and commits nothing.
  ///   - reads: Whether it only reads.
  ///   - isContained: Whether the kernel restricts what git starts.
  ///   - writable: The folders that it has to write in to answer.
  ///   - list: Runs `git config` with arguments there.
  /// - Returns: What git is given beside its arguments.
  /// - Throws: ``ActionRefusal`` for what needs trust; what `list` throws; ``GitRunner/Failure``.
  func protection(
    _ command: String,
    in folder: String,
    isHarmless: Bool,
    reads: Bool,
    isContained: Bool,
    writable: [String],
    list: ([String]) async throws -> [UInt8]
  ) async throws -> Protection {
    if reads, Self.plain.contains(command) {
      return Protection(containment: .reading(writable: writable))
    }
    guard let findings = try await findings(in: folder, list: list) else {
      return Protection(containment: reads ? .reading(writable: writable) : .none)
    }
    if !reads { try requireInside(findings, folder) }
    let programs = findings.programs
    var protection = Protection()
    let mayDiffer = !reads && command == "worktree" && programs.mayDiffer
    if mayDiffer, !isHarmless, !isContained {
      throw findings.refusal("a worktree whose configuration may be another")
    }
    // A merge driver cannot be left out: what it would decide is not known.
    if findings.isNeutral, reads ? command == "merge-tree" && programs.hasMergeDriver : !isHarmless
    {
      throw findings.refusal("git \(command)")
    }
    if findings.isNeutral {
      protection.settings = programs.neutral
    } else if !findings.isTrusted, !reads {
      protection.settings = programs.watchful
    }
    if !reads, findings.hooksAreContent {
      protection.settings.append(ConfiguredPrograms.Setting("core.hooksPath", "/dev/null"))
    }
    if reads {
      let runsAny = programs.hasOwnFilters || findings.isTrusted
      protection.containment =
        runsAny
        ? .none
        : programs.runsLFS
          ? .readingWithLFS(writable: writable + [HostFile.join(findings.common, "lfs")])
          : .reading(writable: writable)
      protection.skipsSubmodules = runsAny || !isContained
    } else if findings.isNeutral || mayDiffer
      || !findings.isTrusted && command != "fetch" && !programs.hasOwnPrograms && !programs.usesLFS
    {
      // What a new worktree's configuration will be, nobody has seen.
      protection.containment = .acting(
        writable: writable + Self.written(findings.place)
      )
    }
    return protection
  }

  /// Demands that git writes to the repository and the worktree alone.
  private func requireInside(_ findings: Findings, _ folder: String) throws {
    if let displaced = findings.displaced {
      throw ActionRefusal(
        .outsideWatchedFolders,
        "core.worktree leads git from \(folder) to \(displaced)"
      )
    }
    let place = findings.place
    let link = place.links.first { link in
      ![place.common, place.directory, place.worktree].contains {
        HostFile.isWithin(link.target, $0)
      }
    }
    if let link {
      throw ActionRefusal(
        .outsideWatchedFolders,
        "\(link.link) is a link to \(link.target), which is outside of the repository",
        files: [link.link]
      )
    }
  }

  /// The folders in which git writes when it does something.
  private static func written(_ place: GitPlace) -> [String] {
    let temporary = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    return [place.common, place.directory, place.worktree, temporary]
  }

  /// What the configuration names that git sees in a folder.
  ///
  /// - Parameters:
  ///   - folder: A worktree, a submodule or a repository without a worktree.
  ///   - list: Runs `git config` with arguments there.
  /// - Returns: What was found; `nil` if there is no repository.
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
  /// - Throws: ``GitRunner/Failure`` if that cannot be told.
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
