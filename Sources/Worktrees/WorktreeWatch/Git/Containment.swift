import CProcess
import Glibc

/// Restricts what a git process and its children execute and write (landlock(7)).
///
/// It holds whatever a configuration names, in the repository or in one nested in it, also if it changes while git
/// runs. A kernel before Linux 5.13 has none of it: then only the settings hold that ``ProgramGuard`` passes to git.
struct Containment: Hashable, Sendable {
  /// What may be executed.
  enum Programs: Hashable, Sendable {
    /// Any program: the person's own hooks, filters and transports may start whatever they need.
    case any
    /// Git, and other programs by their paths.
    case git([String])
    /// Git with the programs of its own folder, and other programs by their paths.
    case commands([String])
  }

  /// What may be executed.
  var programs: Programs
  /// The files and folders that may be written.
  var writable: [String]

  /// Whether the kernel of this machine can do it.
  static let isSupported = rules_version() > 0

  /// The rules for a command that only reads.
  static func reading(_ writable: [String] = []) -> Self {
    Self(programs: .git([]), writable: writable)
  }

  /// Makes the rules.
  ///
  /// - Parameter program: The git that is started.
  /// - Returns: A descriptor of the rules, which the caller closes; `nil` without rules.
  /// - Throws: ``GitRunner/Failure/notStarted(_:)`` if the kernel does not take them.
  func rules(for program: GitProgram) throws(GitRunner.Failure) -> Int32? {
    guard Self.isSupported, program.isBinary else { return nil }
    let execution = Int32(RULE_EXECUTE)
    let writing = Int32(RULE_WRITE)
    var executable = [program.path, program.loader].compactMap(\.self)
    var restricted = execution | writing
    switch programs {
    case .any: restricted = writing
    case .git(let others):
      executable += [HostFile.join(program.commands, "git")] + others
    case .commands(let others):
      executable += [program.commands] + others
    }
    // Before version 2 nothing may be moved from one folder to another where writing is restricted.
    if case .git = programs {} else if rules_version() < 2 { restricted &= ~writing }
    guard restricted != 0 else { return nil }
    let rules = rules_make(restricted)
    guard rules >= 0 else { throw .notStarted("the kernel takes no rules: error \(errno)") }
    if restricted & execution != 0 {
      for path in executable { rules_allow(rules, restricted, execution, path) }
    }
    if restricted & writing != 0 {
      for path in writable + ["/dev/null"] { rules_allow(rules, restricted, writing, path) }
    }
    return rules
  }
}
