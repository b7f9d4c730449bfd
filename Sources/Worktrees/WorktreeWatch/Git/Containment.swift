import CProcess
import Glibc

/// What the kernel lets a git process and everything it starts execute and write (landlock(7)).
///
/// It holds whatever a configuration names, in the repository or in one nested in it, also if it changes while git
/// runs. A kernel before Linux 5.13 has none of it: then only the settings hold that ``ProgramGuard`` passes to git.
enum Containment: Hashable, Sendable {
  /// Nothing is restricted.
  case none
  /// Git alone may be executed; it may write in some folders only.
  case reading(writable: [String])
  /// Git, a shell and git-lfs may be executed; they may write in some folders only.
  case readingWithLFS(writable: [String])
  /// Git and its commands may be executed; they may write in some folders only.
  case acting(writable: [String])

  /// Whether the kernel of this machine can do it.
  static let isSupported = rules_version() > 0

  /// Makes the rules.
  ///
  /// - Parameters:
  ///   - program: The git that is started.
  ///   - folders: Where programs are, as in `PATH`.
  /// - Returns: A descriptor of the rules, which the caller closes; `nil` if there are none.
  /// - Throws: ``GitRunner/Failure/notStarted(_:)`` if the kernel does not take them.
  func rules(for program: GitProgram, folders: String?) throws(GitRunner.Failure) -> Int32? {
    guard self != .none, Self.isSupported, program.isBinary else { return nil }
    var executable = [program.path, program.loader].compactMap(\.self)
    var writable: [String]?
    switch self {
    case .none: return nil
    case .reading(let folders):
      executable.append(HostFile.join(program.commands, "git"))
      writable = folders
    case .readingWithLFS(let writes):
      executable.append(HostFile.join(program.commands, "git"))
      executable += ["sh", "git-lfs"].compactMap { ProgramSearch.find($0, in: folders) }
      executable.append("/bin/sh")
      writable = writes
    case .acting(let folders):
      executable.append(program.commands)
      // Before version 2 nothing may be moved from one folder to another where writing is restricted.
      if rules_version() >= 2 { writable = folders }
    }
    let execution = Int32(RULE_EXECUTE)
    let writing = Int32(RULE_WRITE)
    let restricted = writable == nil ? execution : execution | writing
    let rules = rules_make(restricted)
    guard rules >= 0 else { throw .notStarted("the kernel takes no rules: error \(errno)") }
    for path in executable { rules_allow(rules, restricted, execution, path) }
    for path in (writable.map { $0 + ["/dev/null"] }) ?? [] {
      rules_allow(rules, restricted, writing, path)
    }
    return rules
  }
}
