import ConditionalHTTP
import Foundation
public import Workspaces

/// Why a server did not do what it was asked for.
public struct WorkspaceFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Kind: Hashable, Sendable {
    /// The server did not respond.
    case unreachable
    /// The server refused; nothing was changed.
    case refused
    /// The answer is not what is expected.
    case unreadable
  }

  /// A process that lives in the worktree.
  public struct Process: Hashable, Sendable {
    /// Its number.
    public var pid: Int
    /// Its name in the system.
    public var name: String

    /// Creates a process.
    public init(pid: Int, name: String) {
      self.pid = pid
      self.name = name
    }
  }

  /// The most files that are kept.
  public static let mostFiles = 1_000

  /// The kind of failure.
  public var kind: Kind
  /// The status of the response; `nil` without a response.
  public var status: Int?
  /// The code of the problem; `nil` if absent, or if a later server sent an unknown one.
  public var problem: WorkspaceProblem?
  /// What is wrong, for display.
  public var description: String
  /// The paths the problem is about: those in conflict, those not committed.
  public var files: [String]
  /// The processes the problem is about.
  public var processes: [Process]

  /// Creates a failure.
  ///
  /// - Parameters:
  ///   - kind: The kind.
  ///   - status: The status of the answer.
  ///   - problem: The code of the problem.
  ///   - description: What is wrong, for display.
  ///   - files: The paths the problem is about.
  ///   - processes: The processes the problem is about.
  public init(
    _ kind: Kind,
    status: Int? = nil,
    problem: WorkspaceProblem? = nil,
    _ description: String,
    files: [String] = [],
    processes: [Process] = []
  ) {
    self.kind = kind
    self.status = status
    self.problem = problem
    self.description = description
    self.files = files
    self.processes = processes
  }

  /// Whether the server would do it all the same with `force=1`.
  public var yieldsToForce: Bool { yields(.force, of: .delete) }

  /// Whether an operation that was refused would be done with a further word of a person.
  public func yields(
    _ override: WorkspaceRefusal.Override,
    of operation: WorkspaceRefusal.Operation
  ) -> Bool {
    problem?.overrides(of: operation).contains(override) ?? false
  }

  /// Reads why a request failed: a problem (RFC 9457), or a report of conflicts.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - body: The content.
  init(status: Int, body: [UInt8]) {
    let data = Data(body)
    let decoder = JSONDecoder()
    if let report = try? decoder.decode(ConflictReport.self, from: data) {
      let files = Array(report.conflictFiles.prefix(Self.mostFiles))
      self.init(.refused, status: status, problem: .mergeConflict, report.message, files: files)
      return
    }
    guard let problem = try? decoder.decode(ProblemDetails.self, from: data) else {
      self.init(.refused, status: status, "the server refuses (\(status))")
      return
    }
    var files: [String] = []
    if case .array(let values) = problem.extensions["files"] {
      files = values.prefix(Self.mostFiles).compactMap {
        if case .string(let path) = $0 { path } else { nil }
      }
    }
    var processes: [Process] = []
    if case .array(let values) = problem.extensions["processes"] {
      processes = values.prefix(Self.mostFiles).compactMap {
        guard case .object(let members) = $0, case .integer(let pid) = members["pid"] else {
          return nil
        }
        if case .string(let name) = members["name"] { return Process(pid: pid, name: name) }
        return Process(pid: pid, name: "")
      }
    }
    let text = problem.detail.isEmpty ? problem.title : problem.detail
    self.init(
      .refused,
      status: status,
      problem: WorkspaceProblem(rawValue: problem.error),
      text.isEmpty ? "the server refuses (\(status))" : text,
      files: files,
      processes: processes
    )
  }
}
