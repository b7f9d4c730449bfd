import Git
import Glibc
import Workspaces

extension ProgramGuard {
  /// What git is given beside its arguments.
  struct Protection: Sendable {
    var settings: [ConfiguredPrograms.Setting] = []
    /// More of the environment.
    var variables: [String: String] = [:]
    var containment: Containment?
    /// The commands of git-lfs that git may run; the caller removes them.
    var filters: LFSFilters?
    /// Options of the command.
    var options: [String] = []
    /// Whether git is to leave alone what is in submodules, as nothing else would keep their programs from running.
    var skipsSubmodules = false
    /// Whether the person's GnuPG is to run before git does, as what git starts may not start others.
    var needsAgent = false
  }

  /// The commands of git that read and run nothing that a configuration names.
  private static let plain: Set<String> = [
    "check-ignore", "check-ref-format", "config", "for-each-ref", "hash-object", "ls-files",
    "merge-base", "rev-list", "rev-parse", "show-ref", "version", "worktree",
  ]

  /// What keeps git from running programs and from writing elsewhere.
  ///
  /// - Parameters:
  ///   - command: The command of git.
  ///   - folder: Where it runs.
  ///   - isHarmless: Whether a command that changes something runs nothing if git is kept from it: it checks out nothing
  ///     and commits nothing.
  ///   - reads: Whether it only reads.
  ///   - isContained: Whether the kernel restricts what git starts and writes.
  ///   - writable: The folders that it has to write in besides its own.
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
      return Protection(containment: .reading(writable))
    }
    guard let findings = try await findings(in: folder, list: list) else {
      return Protection(
        containment: reads
          ? .reading(writable) : Containment(programs: .commands([]), writable: writable + [folder])
      )
    }
    return reads
      ? try reading(command, findings, isContained: isContained, writable)
      : try acting(
        command,
        findings,
        folder,
        isHarmless: isHarmless,
        isContained: isContained,
        writable
      )
  }

  // MARK: Commands that read

  private func reading(
    _ command: String,
    _ findings: Findings,
    isContained: Bool,
    _ writable: [String]
  ) throws -> Protection {
    let programs = findings.programs
    var protection = Protection()
    if findings.isNeutral {
      // A merge driver cannot be left out: what it would decide is not known.
      if command == "merge-tree", programs.hasMergeDriver {
        throw findings.refusal("git \(command)")
      }
      protection.settings = programs.neutral
    }
    let runsAny = programs.hasOwnFilters || findings.isTrusted
    protection.skipsSubmodules = runsAny || !isContained
    if findings.isTrusted { return protection }
    if programs.hasOwnFilters {
      // They may keep something in the repository.
      protection.containment = Containment(programs: .any, writable: writable + [findings.common])
      return protection
    }
    var executables: [String] = []
    var writable = writable
    if programs.runsLFS, isContained {
      let filters = try LFSFilters(programs, in: folders)
      protection.filters = filters
      protection.settings += filters.settings
      protection.skipsSubmodules = filters.needsShell
      executables = filters.executables
      writable.append(HostFile.join(findings.common, "lfs"))
    }
    protection.containment = Containment(programs: .git(executables), writable: writable)
    return protection
  }

  // MARK: Commands that change something

  private func acting(
    _ command: String,
    _ findings: Findings,
    _ folder: String,
    isHarmless: Bool,
    isContained: Bool,
    _ writable: [String]
  ) throws -> Protection {
    try requireInside(findings, folder)
    let programs = findings.programs
    if command == "worktree", programs.mayDiffer, !isHarmless, !isContained {
      throw findings.refusal("a worktree whose configuration may be another")
    }
    if findings.isNeutral, !isHarmless { throw findings.refusal("git \(command)") }
    if command == "fetch", programs.hasFetchSettings, !findings.isTrusted {
      throw findings.refusal("git fetch", .fetch)
    }
    var protection = Protection()
    if findings.hooksAreContent {
      protection.settings.append(ConfiguredPrograms.Setting("core.hooksPath", "/dev/null"))
    }
    // What a person trusts runs as it does at the terminal.
    guard !findings.isTrusted else { return protection }
    protection.settings.insert(
      contentsOf: findings.isNeutral ? programs.neutral : programs.watchful,
      at: 0
    )
    let place = findings.place
    var writable = writable + [place.common, place.directory]
    if command == "fetch" {
      protection.settings += programs.fetchSettings
      protection.variables = programs.fetchVariables
      protection.options = ["--upload-pack=git-upload-pack"]
      protection.containment = Containment(programs: .any, writable: writable)
      return protection
    }
    writable.append(place.worktree)
    var executables: [String] = []
    // Those of the person's own start whatever they need.
    var runsAny = programs.hasOwnHooks || programs.hasOwnFilters && !isHarmless
    if !isHarmless, isContained {
      if programs.runsLFS {
        let filters = try LFSFilters(programs, in: folders)
        protection.filters = filters
        protection.settings += filters.settings
        // Without a shell no helper says a password: what cannot be downloaded stays a pointer.
        protection.variables["GIT_LFS_SKIP_DOWNLOAD_ERRORS"] = "1"
        executables += filters.executables
        executables += ProgramFile.find("ssh", in: folders)?.executables ?? []
      }
      if let signer = programs.signer {
        let own = signature(signer)
        executables += own.executables
        runsAny = runsAny || own.executables.isEmpty
        writable += own.writable
        protection.needsAgent = signer.isGnuPG
      }
    }
    protection.containment = Containment(
      programs: runsAny ? .any : .commands(executables),
      writable: writable
    )
    return protection
  }

  /// What the person's own program for signatures executes and writes; no executables if that cannot be determined.
  private func signature(
    _ signer: ConfiguredPrograms.Signer
  ) -> (executables: [String], writable: [String]) {
    let command = String(decoding: signer.command, as: UTF8.self)
    let path =
      command.hasPrefix("~/")
      ? home.map { HostFile.join($0, String(command.dropFirst(2))) } : command
    let writable = signer.isGnuPG ? home.map { [HostFile.join($0, ".gnupg")] } ?? [] : []
    guard let program = path.flatMap({ ProgramFile.find($0, in: folders) }), !program.isScript
    else {
      return ([], writable)
    }
    return (program.executables, writable)
  }

  /// Demands that git writes to the repository and the worktree alone.
  private func requireInside(_ findings: Findings, _ folder: String) throws {
    if let displaced = findings.displaced {
      throw ActionRefusal(
        .outsideWatchedFolders,
        "core.worktree leads git from \(folder) to \(displaced)"
      )
    }
    if let link = try findings.place.linkOutside() {
      throw ActionRefusal(
        .outsideWatchedFolders,
        "\(link.path) is a link to \(link.target), which is outside of the repository",
        files: [link.path]
      )
    }
  }
}
