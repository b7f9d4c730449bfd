import Git
import Glibc
import Synchronization

/// Runs git with limits on concurrency, time and output.
///
/// Git takes no optional locks and never asks for a password; commands that only read run no program from the
/// repository's configuration and fetch nothing. Two mechanisms enforce what git may run: ``ProgramGuard`` in git's
/// configuration, and ``Containment`` in the kernel.
package final class GitRunner: Sendable {
  /// What git answered.
  package struct Answer: Sendable {
    /// Its output.
    package var output: [UInt8]
    /// Its error output.
    package var complaint: String
    /// The code it ended with; negative for a signal.
    package var code: Int32

    /// Its output as text without trailing whitespace.
    package var text: String {
      var output = output[...]
      while let last = output.last, last <= 0x20 { output.removeLast() }
      return String(decoding: output, as: UTF8.self)
    }
  }

  /// Why a git command has no result.
  package enum Failure: Error, Sendable, CustomStringConvertible {
    /// It exceeded its time limit, in seconds.
    case timeout(String, seconds: Double)
    /// It wrote more than the limit.
    case tooMuch(String)
    /// It ended with a code that means failure.
    case failed(String, code: Int32, complaint: String)
    /// It could not be started.
    case notStarted(String)
    /// Its output has another format.
    case unreadable(String)
    /// It was ended, or not begun, because the program ends.
    case ended(String)

    /// The reason in one line.
    package var description: String {
      switch self {
      case .timeout(let command, let seconds): "git \(command) took longer than \(seconds) s"
      case .tooMuch(let command):
        "git \(command) wrote more than \(WatchLimits.outputBytes) bytes"
      case .failed(let command, let code, let complaint):
        "git \(command) failed with \(code): \(complaint)"
      case .notStarted(let reason): "git could not be started: \(reason)"
      case .unreadable(let reason): reason
      case .ended(let what): "\(what): the server ends"
      }
    }
  }

  /// How git is kept from running what a repository names.
  package enum Protection: Sendable {
    /// By its settings, and by the kernel where that can.
    case whole
    /// By its settings alone, as on a kernel that has no rules for programs.
    case settings
    /// None: for commands of a user at the terminal.
    case none
  }

  /// How many processes were started, by their command.
  package var started: [String: Int] { counts.withLock { $0 } }

  /// Knows what repositories would run.
  package let programs: ProgramGuard
  private let protection: Protection
  private let semaphore: AsyncSemaphore
  private let counts = Mutex<[String: Int]>([:])
  private let processes = Mutex(RunningProcesses())
  private let environment: [String: String]
  private let finder: GitProgram.Finder
  /// When git accepted folders of other users.
  private let accepted = Mutex<[[UInt8]: Double]>([:])

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - most: The most processes at a time.
  ///   - programs: Knows what repositories would run.
  ///   - protection: How git is kept from running that.
  package init(
    most: Int = WatchLimits.processes,
    programs: ProgramGuard = ProgramGuard(),
    protection: Protection = .whole
  ) {
    semaphore = AsyncSemaphore(most, late: WatchLimits.lateProcesses)
    self.programs = programs
    self.protection = protection
    var values = [
      // The colon is git's own word for an editor that does nothing.
      "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat", "GIT_EDITOR": ":",
      "GIT_SEQUENCE_EDITOR": ":", "GIT_ASKPASS": "true", "SSH_ASKPASS": "true",
    ]
    // Nothing else of the environment: GIT_DIR and the like would lead elsewhere.
    for name in ["HOME", "XDG_CONFIG_HOME", "TMPDIR", "USER", "LOGNAME", "SSH_AUTH_SOCK"] {
      if let value = getenv(name) { values[name] = String(cString: value) }
    }
    values["PATH"] = programs.folders
    environment = values
    finder = GitProgram.Finder(folders: values["PATH"])
  }

  /// Why no git can run here that has to write a file of its own, in a sentence; `nil` if it can.
  package static var temporaryFolderProblem: String? {
    do throws(Failure) {
      try TemporaryFolder().remove()
      return nil
    } catch .notStarted(let reason) {
      return "\(reason); create the folder, or set TMPDIR to one that can be written"
    } catch {
      return "\(error)"
    }
  }

  /// Whether the kernel keeps git from starting programs.
  package var isContained: Bool { protection == .whole && Containment.isSupported }

  /// Runs git in a folder.
  ///
  /// - Parameters:
  ///   - arguments: The command and its arguments.
  ///   - folder: The folder to run in.
  ///   - reads: Whether it only reads: then it takes no lock, fetches nothing, and runs no program of an untrusted
  ///     configuration.
  ///   - timeout: The time limit, in seconds.
  ///   - variables: Additional environment variables.
  ///   - writable: Additional folders that it may write in.
  ///   - accepted: The exit codes that are not failures.
  ///   - input: Its standard input; `nil` for none.
  ///   - chunk: Receives the output as it arrives; without it the output is in the result.
  /// - Returns: The result.
  /// - Throws: ``Failure``; ``ActionRefusal`` for what needs trust; `CancellationError` if the task is cancelled.
  package func run(
    _ arguments: [String],
    in folder: String,
    reads: Bool = true,
    timeout: Double = WatchLimits.stateTimeout,
    variables: [String: String] = [:],
    writable: [String] = [],
    accepted: ClosedRange<Int32> = 0...0,
    input: [UInt8]? = nil,
    chunk: (@Sendable ([UInt8]) throws -> Void)? = nil
  ) async throws -> Answer {
    try await semaphore.run(patience: WatchLimits.patience) {
      try await runInside(
        arguments,
        in: folder,
        reads: reads,
        timeout: timeout,
        variables: variables,
        writable: writable,
        accepted: accepted,
        input: input,
        chunk: chunk
      )
    }
  }

  private func runInside(
    _ arguments: [String],
    in folder: String,
    reads: Bool,
    timeout: Double,
    variables: [String: String],
    writable: [String],
    accepted: ClosedRange<Int32>,
    input: [UInt8]?,
    chunk: (@Sendable ([UInt8]) throws -> Void)?
  ) async throws -> Answer {
    let command = Self.command(arguments[...])
    var guarded = ProgramGuard.Protection()
    var variables = variables
    // What git and its programs write for themselves.
    let scratch = reads || protection == .none ? nil : try TemporaryFolder()
    defer { scratch?.remove() }
    if let scratch { variables["TMPDIR"] = scratch.path }
    if protection != .none {
      let temporary = [
        variables["GIT_OBJECT_DIRECTORY"],
        variables["GIT_INDEX_FILE"].map { String($0[..<($0.lastIndex(of: "/") ?? $0.startIndex)]) },
      ]
      guarded = try await programs.protection(
        command,
        in: folder,
        isHarmless: Self.isHarmless(arguments),
        reads: reads,
        isContained: isContained,
        writable: writable + (temporary + [scratch?.path]).compactMap(\.self)
      ) { try await list($0, in: folder) }
      if !isContained { guarded.containment = nil }
    }
    defer { guarded.filters?.remove() }
    if guarded.needsAgent { await startAgent() }
    variables.merge(guarded.variables) { $1 }
    let answer = try await start(
      Self.adapted(arguments, guarded, reads: reads),
      in: folder,
      reads: reads,
      timeout: timeout,
      variables: variables,
      guarded,
      input,
      chunk
    )
    guard accepted.contains(answer.code) else {
      let line = answer.complaint.split(separator: "\n").first.map(String.init) ?? "no reason given"
      throw Failure.failed(command, code: answer.code, complaint: String(line.prefix(400)))
    }
    return answer
  }

  /// Returns the findings of the configuration that git uses in a folder; `nil` if the folder is
  /// not in a repository.
  ///
  /// - Throws: ``Failure``; `CancellationError` if the task is cancelled.
  package func findings(in folder: String) async throws -> ProgramGuard.Findings? {
    try await programs.findings(in: folder) { arguments in
      try await semaphore.run(patience: WatchLimits.patience) {
        try await list(arguments, in: folder)
      }
    }
  }

  /// Runs `git config`, which runs nothing itself.
  private func list(_ arguments: [String], in folder: String) async throws -> [UInt8] {
    var guarded = ProgramGuard.Protection()
    if isContained { guarded.containment = .reading() }
    let answer = try await start(
      arguments,
      in: folder,
      reads: true,
      timeout: WatchLimits.stateTimeout,
      variables: [:],
      guarded,
      nil,
      nil
    )
    guard answer.code == 0 else {
      let line = answer.complaint.split(separator: "\n").first ?? "no reason given"
      throw Failure.failed("config", code: answer.code, complaint: String(line.prefix(400)))
    }
    return answer.output
  }

  private func start(
    _ arguments: [String],
    in folder: String,
    reads: Bool,
    timeout: Double,
    variables: [String: String],
    _ guarded: ProgramGuard.Protection,
    _ input: [UInt8]?,
    _ chunk: (@Sendable ([UInt8]) throws -> Void)?
  ) async throws -> Answer {
    counts.withLock { $0[Self.command(arguments[...]), default: 0] += 1 }
    let program = try finder.program()
    let place = protection == .none ? [:] : try await pinned(folder, program)
    var start = GitProcess.Start(
      path: program.path,
      arguments: ["git"] + (reads ? Self.careful : Self.own(protection)) + arguments,
      environment: environment(
        folder,
        reads: reads,
        place.merging(variables) { $1 },
        guarded.settings
      ),
      folder: folder,
      input: input,
      timeout: timeout,
      grace: reads ? 0 : WatchLimits.stopGrace,
      memory: reads ? WatchLimits.readingBytes : WatchLimits.actingBytes,
      chunk: chunk
    )
    let rules = try guarded.containment?.rules(for: program)
    defer { if let rules { Glibc.close(rules) } }
    if let rules { start.rules = rules }
    return try await follow(start)
  }

  /// Starts what the person's GnuPG needs to run, which would otherwise be restricted for good as the git is that needs it.
  private func startAgent() async {
    guard let path = ProgramSearch.find("gpgconf", in: environment["PATH"]) else { return }
    let settings = environment["HOME"].flatMap {
      HostFile.text(HostFile.join($0, ".gnupg/common.conf"))
    }
    let isKeyboxed =
      settings?.split(separator: "\n").contains { $0.hasPrefix("use-keyboxd") } ?? false
    for name in ["gpg-agent"] + (isKeyboxed ? ["keyboxd"] : []) {
      let start = GitProcess.Start(
        path: path,
        arguments: ["gpgconf", "--launch", name],
        environment: environment("/", reads: true, [:], []),
        folder: "/",
        timeout: WatchLimits.stateTimeout
      )
      _ = try? await follow(start)
    }
  }

  /// Runs a process that ``close()`` can end.
  private func follow(_ start: GitProcess.Start) async throws -> Answer {
    guard let process = processes.withLock({ $0.add(start) }) else { throw CancellationError() }
    defer { processes.withLock { $0.remove(process) } }
    do {
      return try await process.run()
    } catch is CancellationError where isHurried && !Task.isCancelled {
      // What it began is undone, as after any other failure.
      throw Failure.ended("git \(Self.command(start.arguments.dropFirst())) was ended")
    }
  }

  /// Whether the program is about to end.
  package var isHurried: Bool { processes.withLock { $0.isHurried } }

  /// Ends the processes that change something, since the program is about to end.
  ///
  /// What an action began can be undone: more processes may be started, each for ``WatchLimits/stopGrace`` at most.
  package func hurry() {
    for process in processes.withLock({ $0.hurry() }) { process.end() }
  }

  /// Throws if the program is about to end, before anything is begun.
  ///
  /// - Throws: ``Failure/ended(_:)``.
  func requireTime() throws(Failure) {
    guard !isHurried else { throw .ended("nothing was done") }
  }

  /// Ends all its processes and starts no more, since the program ends.
  ///
  /// Canceling the tasks that wait for them does the same, but the program does not wait for each of these tasks.
  /// Returns when all processes have ended, or after ``WatchLimits/stopGrace`` and a second.
  package func close() async {
    for process in processes.withLock({ $0.close() }) { process.end() }
    let deadline = WatchClock.monotonic + WatchLimits.stopGrace + 1
    while processes.withLock({ !$0.isEmpty }), WatchClock.monotonic < deadline {
      try? await Task.sleep(for: .milliseconds(10))
    }
  }

  /// The variables that say to git where it works.
  ///
  /// - Throws: ``Failure`` if git refuses to read another user's files.
  private func pinned(_ folder: String, _ program: GitProgram) async throws -> [String: String] {
    // Without a repository there git says so, and looks nowhere else.
    guard let place = try ProgramGuard.place(folder) else {
      return ["GIT_DIR": HostFile.join(folder, ".git")]
    }
    guard place.isForeign else { return place.variables }
    let now = WatchClock.monotonic
    let key = Array(folder.utf8)
    let known = accepted.withLock { $0[key] }
    guard known.map({ now - $0 > WatchLimits.ownerChecked }) ?? true else { return place.variables }
    // Git checks the owner of a repository only if it discovers the repository itself.
    var start = GitProcess.Start(
      path: program.path,
      arguments: ["git"] + Self.careful + ["rev-parse", "--git-dir"],
      environment: environment(folder, reads: true, [:], []),
      folder: folder,
      timeout: WatchLimits.stateTimeout
    )
    let rules = isContained ? try Containment.reading().rules(for: program) : nil
    defer { if let rules { Glibc.close(rules) } }
    if let rules { start.rules = rules }
    let answer = try await follow(start)
    guard answer.code == 0 else {
      let line = answer.complaint.split(separator: "\n").first ?? "no reason given"
      throw Failure.failed("rev-parse", code: answer.code, complaint: String(line.prefix(400)))
    }
    accepted.withLock { accepted in
      if accepted.count >= WatchLimits.worktrees * 2 { accepted.removeAll() }
      accepted[key] = now
    }
    return place.variables
  }

  /// The options that keep a command that makes changes within its worktree: each submodule's configuration says where its files are.
  private static func own(_ protection: Protection) -> [String] {
    protection == .none ? [] : ["-c", "submodule.recurse=false"]
  }

  /// The environment in bytes.
  private func environment(
    _ folder: String,
    reads: Bool,
    _ variables: [String: String],
    _ settings: [ConfiguredPrograms.Setting]
  ) -> [[UInt8]] {
    var values = environment
    // A folder that is no longer a repository must not count as part of an enclosing one.
    values["GIT_CEILING_DIRECTORIES"] =
      folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? ""
    if reads { values.merge(Self.closed) { $1 } }
    values.merge(variables) { $1 }
    // Variables and no arguments: a key may hold what separates it from its value (git-config(1), GIT_CONFIG_COUNT).
    let given = values["GIT_CONFIG_COUNT"].flatMap { Int($0) } ?? 0
    if !settings.isEmpty { values["GIT_CONFIG_COUNT"] = "\(given + settings.count)" }
    var all = values.map { Array("\($0.key)=\($0.value)".utf8) }
    for (number, setting) in settings.enumerated() {
      all.append(Array("GIT_CONFIG_KEY_\(given + number)=".utf8) + setting.key)
      all.append(Array("GIT_CONFIG_VALUE_\(given + number)=".utf8) + setting.value)
    }
    return all
  }

  /// The command among arguments.
  static func command(_ arguments: ArraySlice<String>) -> String {
    var rest = arguments
    while let first = rest.first, first.hasPrefix("-") {
      rest = rest.dropFirst(first == "-c" ? 2 : 1)
    }
    return rest.first ?? arguments.first ?? ""
  }

  /// Whether a command that changes something does so without a checkout, a commit or a remote.
  private static func isHarmless(_ arguments: [String]) -> Bool {
    let command = command(arguments[...])
    guard command == "worktree" else { return harmless.contains(command) }
    let place = arguments.firstIndex(of: command).map { $0 + 1 } ?? arguments.endIndex
    return place < arguments.endIndex && arguments[place] != "add"
  }

  private static let harmless: Set<String> = [
    "branch", "bundle", "config", "for-each-ref", "mktree", "pack-refs", "reflog", "rev-parse",
    "show-ref",
    "symbolic-ref", "tag", "update-ref",
  ]

  /// The arguments with what keeps a command out of submodules.
  private static func adapted(
    _ arguments: [String],
    _ guarded: ProgramGuard.Protection,
    reads: Bool
  ) -> [String] {
    let command = command(arguments[...])
    guard let place = arguments.firstIndex(of: command) else { return arguments }
    var adapted = arguments
    if command == "fetch" {
      // Each submodule would be fetched as its own configuration says.
      adapted.insert("--no-recurse-submodules", at: place + 1)
    }
    adapted.insert(contentsOf: guarded.options, at: place + 1)
    if guarded.skipsSubmodules, reads, command == "status" || command == "diff",
      !arguments.contains("--ignore-submodules=all")
    {
      adapted.removeAll { $0.hasPrefix("--ignore-submodules") }
      adapted.insert("--ignore-submodules=dirty", at: place + 1)
    }
    return adapted
  }

  /// What keeps a command that reads from taking locks, and from fetching objects that a partial clone or git-lfs lacks:
  /// an older git does not know the second variable, and no transport is called `none`.
  private static let closed: [String: String] = [
    "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none",
    "GIT_LFS_SKIP_SMUDGE": "1",
  ]

  /// What keeps a command that reads from running the monitor, hooks, the pager and upkeep that a configuration
  /// names.
  private static let careful = [
    "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false",
    "-c", "status.relativePaths=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
    "--no-pager",
  ]
}
