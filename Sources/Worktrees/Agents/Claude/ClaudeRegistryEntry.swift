import StrictJSON

/// The own report of a running Claude Code in `~/.claude/sessions/<pid>.json`, since 2.1.139.
///
/// Its maker does not document it. Only entries with the start of the process are read: without it
/// a number that was given to another process could be taken for the agent.
package struct ClaudeRegistryEntry: Hashable, Sendable {
  /// The activity of the session.
  package enum Status: Hashable, Sendable {
    /// It works.
    case busy
    /// It waits for its human to write.
    case idle
    /// It waits for an answer: a permission, a question.
    case waiting
    /// The conversation is idle and a command of the user's runs in the background.
    case shell
    /// A word that is not known.
    case other(String)

    /// A status by its word.
    init(_ word: String) {
      switch word {
      case "busy": self = .busy
      case "idle": self = .idle
      case "waiting": self = .waiting
      case "shell": self = .shell
      default: self = .other(word.limited(to: 64))
      }
    }
  }

  /// The most bytes an entry may have.
  package static let longest = 64 << 10

  /// The process.
  package var process: ProcessIdentity
  /// The session's id.
  package var session: String
  /// The working directory.
  package var directory: String?
  /// The activity of the session; absent for sessions that programs run.
  package var status: Status?
  /// Since when.
  package var statusSince: WallTime?
  /// The reason for waiting.
  package var waitingFor: String?
  /// The session's name.
  package var name: String?

  /// Reads an entry; `nil` for anything else.
  ///
  /// - Parameters:
  ///   - bytes: The file's content.
  ///   - writtenAt: When the file was last written.
  ///   - readAt: When it was read.
  package init?(_ bytes: [UInt8], writtenAt: WallTime? = nil, readAt: WallTime? = nil) {
    let rules = JSONReader.Rules.lenient(longest: Self.longest, deepest: 16)
    guard case .object(let members)? = try? JSONReader.value(of: bytes, rules: rules),
      let number = members["pid"]?.int64, let pid = Int32(exactly: number), pid > 0,
      let start = members["procStart"]?.name.flatMap({ UInt64($0) }),
      let session = members["sessionId"]?.string
    else { return nil }
    process = ProcessIdentity(number: pid, start: start)
    self.session = session.limited(to: 128)
    directory = members["cwd"]?.string
    status = members["status"]?.string.map { Status($0) }
    statusSince = (members.time("statusUpdatedAt") ?? members.time("updatedAt"))?
      .bounded(writtenAt: writtenAt, readAt: readAt)
    waitingFor = members["waitingFor"]?.string.map { $0.limited(to: 256) }
    name = members["name"]?.string.map { $0.limited(to: 256) }
  }
}
