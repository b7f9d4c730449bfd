import StrictJSON

/// Collects the issues of decoding one document, up to a limit; further ones are counted.
///
/// A reference that belongs to one decoding and does not cross tasks.
public final class DecodeLog {
  /// The issues so far, in order, up to the limit.
  public private(set) var issues: [DecodeIssue] = []
  /// The total number of issues by severity: notes, warnings, losses.
  public private(set) var counts = [0, 0, 0]
  /// The limits of this decoding.
  public let limits: DecodeLimits

  /// The document that is decoded.
  let document: JSONDocument
  /// The place at which paths begin.
  let root: Int

  /// Which places were read; empty unless unread members are counted.
  private var reads: [Read]

  private enum Read: UInt8 {
    /// The place was not read.
    case none
    /// The place was visited; places inside it are marked separately.
    case visited
    /// The place was read with everything inside it.
    case whole
  }

  /// Starts without an issue.
  init(_ document: JSONDocument, root: Int, limits: DecodeLimits, countsUnread: Bool = false) {
    self.document = document
    self.root = root
    self.limits = limits
    reads =
      countsUnread ? Array(repeating: .none, count: document.end(of: root) - root) : []
  }

  /// Notes that a place was asked for.
  func visit(_ place: Int) {
    if reads.isEmpty { return }
    if reads[place - root] == .none { reads[place - root] = .visited }
  }

  /// Notes that a place was read with everything inside of it.
  func readWhole(_ place: Int) {
    if reads.isEmpty { return }
    reads[place - root] = .whole
  }

  /// Adds an issue for every member that was not read, except those that are null.
  ///
  /// - Returns: Their paths, at most as many as the limit of issues, and their number. A member inside an unread member
  ///   does not count by itself.
  func addUnread() -> (paths: [String], count: Int) {
    var paths: [String] = []
    var count = 0
    if !reads.isEmpty { collectUnread(in: root, &paths, &count) }
    return (paths, count)
  }

  private func collectUnread(in place: Int, _ paths: inout [String], _ count: inout Int) {
    switch (reads[place - root], document.kind(at: place)) {
    case (.visited, .object):
      for member in document.members(of: place) {
        guard reads[member.value - root] == .none else {
          collectUnread(in: member.value, &paths, &count)
          continue
        }
        if document.kind(at: member.value) == .null { continue }
        count += 1
        guard paths.count < limits.issues else {
          counts[DecodeIssue.Severity.note.rawValue] += 1
          continue
        }
        let path = document.path(of: member.value, from: root)
        paths.append(path)
        let issue = DecodeIssue(
          path: path,
          kind: .unreadMember,
          severity: .note,
          message: "this member is not read"
        )
        add(issue)
      }
    case (.visited, .list):
      var next = place + 1
      while next < document.end(of: place) {
        collectUnread(in: next, &paths, &count)
        next = document.end(of: next)
      }
    default: break
    }
  }

  /// The highest severity so far; `nil` without issues.
  public var gravest: DecodeIssue.Severity? {
    DecodeIssue.Severity.allCases.last { counts[$0.rawValue] > 0 }
  }

  /// Counts an issue and returns whether it would be kept; if not, its message need not be built.
  func keeps(_ severity: DecodeIssue.Severity) -> Bool {
    guard issues.count >= limits.issues else { return true }
    if issues.contains(where: { $0.severity < severity }) { return true }
    counts[severity.rawValue] += 1
    return false
  }

  /// Adds an issue.
  ///
  /// A severe issue replaces a lighter one when the list is full.
  ///
  /// - Parameter issue: The issue.
  public func add(_ issue: DecodeIssue) {
    counts[issue.severity.rawValue] += 1
    if issues.count < limits.issues {
      issues.append(issue)
    } else if let place = issues.lastIndex(where: { $0.severity < issue.severity }) {
      issues.remove(at: place)
      issues.append(issue)
    }
  }
}

@available(*, unavailable)
extension DecodeLog: Sendable {}
