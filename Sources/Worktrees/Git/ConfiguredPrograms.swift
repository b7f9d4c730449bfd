/// A program that the configuration of a repository names.
public struct ConfiguredProgram: Hashable, Sendable {
  /// The key, such as `filter.x.clean`; of a hook `hook NAME`.
  public var key: [UInt8]
  /// The command as it is written; of a hook its path.
  public var command: [UInt8]
  /// The file that names it, if there is one.
  public var file: String?
  /// Who would run it.
  public var use: ProgramKey.Use
  /// Identifies the content of a hook; empty for the rest.
  public var content: [UInt8]

  /// Creates a program.
  public init(
    key: [UInt8],
    command: [UInt8],
    file: String?,
    use: ProgramKey.Use,
    content: [UInt8] = []
  ) {
    self.key = key
    self.command = command
    self.file = file
    self.use = use
    self.content = content
  }
}

/// The programs that a repository names in its configuration or has as hooks, and the settings that keep git from
/// running them.
public struct ConfiguredPrograms: Hashable, Sendable {
  /// A value that is given to git.
  public struct Setting: Hashable, Sendable {
    /// The key.
    public var key: [UInt8]
    /// The value.
    public var value: [UInt8]

    /// Creates a setting.
    public init(_ key: [UInt8], _ value: [UInt8]) {
      self.key = key
      self.value = value
    }

    /// Creates a setting from texts.
    public init(_ key: String, _ value: String) { self.init(Array(key.utf8), Array(value.utf8)) }
  }

  /// The repository's programs, in the order they are named; hooks come last.
  public private(set) var programs: [ConfiguredProgram] = []
  /// Whether a filter runs git-lfs.
  public private(set) var usesLFS = false
  /// Whether the person's own configuration has filters or merge drivers, which may be any programs.
  public private(set) var hasOwnFilters = false
  /// Whether the person's own configuration has hooks or a monitor of files.
  public private(set) var hasOwnHooks = false
  /// The last value that the person's own configuration has for each key.
  public private(set) var own: [String: [UInt8]] = [:]
  /// The helpers for passwords of the person's own configuration, in their order.
  public private(set) var ownHelpers: [Setting] = []
  /// Transports that the person's own configuration allows.
  public private(set) var ownTransports: [String] = []
  /// The values that count for keys of signatures, wherever they are set.
  private var signing: [String: [UInt8]] = [:]

  /// The value that counts for a key of signatures.
  func signatureValue(_ key: String) -> [UInt8]? { signing[key] }
  /// Whether the repository includes files on a condition, so that another worktree may have another configuration.
  public private(set) var mayDiffer = false
  private var filters: [[UInt8]] = []
  private var drivers: [[UInt8]] = []
  private var lfsFilters: [LFSFilter] = []

  /// A command of git-lfs that a filter runs.
  private struct LFSFilter: Hashable {
    var name: [UInt8]
    var variable: String
  }

  /// Finds the programs.
  ///
  /// - Parameters:
  ///   - settings: The configuration as git sees it from a worktree.
  ///   - hooks: The hooks of the repository.
  ///   - isOwn: Whether an entry is the repository's own, and not the person's or the machine's.
  public init(
    _ settings: GitSettings,
    hooks: [ConfiguredProgram] = [],
    isOwn: (GitSettings.Entry) -> Bool
  ) {
    for entry in settings.entries where entry.scope != .command {
      let parts = ProgramKey.Parts(entry.key)
      if parts.section == "filter", let name = parts.name, let value = entry.value,
        ProgramKey.isLFS(parts.variable, value)
      {
        usesLFS = true
        lfsFilters.append(LFSFilter(name: name, variable: parts.variable))
      }
      if parts.section == "includeif", isOwn(entry) { mayDiffer = true }
      guard let use = ProgramKey.use(entry.key, entry.value) else { continue }
      guard isOwn(entry) else {
        note(parts, entry)
        continue
      }
      programs.append(
        ConfiguredProgram(
          key: entry.key,
          command: entry.value ?? [],
          file: entry.file,
          use: use
        )
      )
      if parts.section == "filter", let name = parts.name { filters.append(name) }
      if parts.section == "merge", parts.variable == "driver", let name = parts.name {
        drivers.append(name)
      }
    }
    for entry in settings.entries where entry.scope != .command {
      let key = String(decoding: entry.key, as: UTF8.self)
      let value = entry.value ?? Array("true".utf8)
      if Self.signatures.contains(key) { signing[key] = value }
      guard !isOwn(entry) else { continue }
      own[key] = value
      let parts = ProgramKey.Parts(entry.key)
      if parts.section == "credential", parts.variable == "helper" {
        // An empty one takes those before it away.
        ownHelpers.append(Setting(entry.key, value))
      }
      if parts.section == "protocol", parts.variable == "allow", let name = parts.name,
        !value.elementsEqual("never".utf8)
      {
        ownTransports.append(String(decoding: name, as: UTF8.self))
      }
    }
    programs += hooks
  }

  /// Notes a program of the person's own.
  private mutating func note(_ parts: ProgramKey.Parts, _ entry: GitSettings.Entry) {
    switch (parts.section, parts.variable) {
    case ("filter", _), ("merge", "driver"): hasOwnFilters = true
    case ("core", "hookspath"), ("core", "fsmonitor"), ("hook", _): hasOwnHooks = true
    default: break
    }
  }

  /// Whether something is named that git would run without a person at a terminal.
  public var hasActions: Bool { programs.contains { $0.use == .action } }

  /// Whether something is named that git would use when it fetches, such as a file for cookies.
  public var hasFetchSettings: Bool { programs.contains { $0.use == .fetch } }

  /// The names of the filters one of whose commands is of git-lfs.
  ///
  /// - Parameter variable: `clean`, `smudge` or `process`.
  /// - Returns: The names, each once.
  public func lfsFilters(_ variable: String) -> [[UInt8]] {
    var seen: Set<[UInt8]> = []
    return lfsFilters.filter { $0.variable == variable && seen.insert($0.name).inserted }.map(
      \.name
    )
  }

  /// Whether there are more filters and merge drivers than git can be kept from running (``GitLimits/drivers``).
  public var isExcessive: Bool {
    filters.count + drivers.count + lfsFilters.count > GitLimits.drivers * 4
  }

  /// Whether a filter may run git-lfs: not if the repository extends that by programs of its own.
  public var runsLFS: Bool { usesLFS && !extendsLFS }

  private var extendsLFS: Bool { programs.contains { $0.key.starts(with: "lfs.".utf8) } }

  /// Whether a merge would be decided by a program.
  public var hasMergeDriver: Bool { !drivers.isEmpty }

  /// The settings that keep git from running the repository's filters, merge drivers, hooks and monitor.
  ///
  /// Hooks and monitor of the person's own stay. A merge driver cannot be taken away, so that one is there that
  /// leaves a conflict.
  public var neutral: [Setting] {
    var settings = watchful
    func key(_ section: String, _ name: [UInt8], _ variable: String) -> [UInt8] {
      Array("\(section).".utf8) + name + Array(".\(variable)".utf8)
    }
    var seen: Set<[UInt8]> = []
    for name in filters + (extendsLFS ? lfsFilters.map(\.name) : [])
    where seen.insert(name).inserted {
      for variable in ["clean", "smudge", "process"] {
        settings.append(Setting(key("filter", name, variable), []))
      }
      settings.append(Setting(key("filter", name, "required"), Array("false".utf8)))
    }
    seen = []
    for name in drivers where seen.insert(name).inserted {
      settings.append(Setting(key("merge", name, "driver"), Array("false".utf8)))
    }
    return settings
  }

  /// The settings that keep hooks and a monitor from running that come to be after the configuration was read, and
  /// programs for signatures that the person has not chosen.
  public var watchful: [Setting] {
    [
      Setting(Array("core.hooksPath".utf8), own["core.hookspath"] ?? Array("/dev/null".utf8)),
      Setting(Array("core.fsmonitor".utf8), own["core.fsmonitor"] ?? Array("false".utf8)),
    ] + signatureSettings
  }

  /// The bytes that identify these programs, for a digest.
  public var canonical: [UInt8] {
    programs.flatMap { program -> [UInt8] in
      [program.key, program.command, program.content].flatMap { part in
        Array("\(part.count):".utf8) + part
      }
    }
  }
}
