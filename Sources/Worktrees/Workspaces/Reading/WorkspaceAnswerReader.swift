public import StrictJSON
public import TolerantDecoding

/// Reads the answers of servers of worktrees: ours, and the seed system's.
///
/// A value that cannot be used costs a member, or an element of a list, and never the whole answer; each loss is an issue.
///
/// ```swift
/// let decoded = try WorkspaceAnswerReader().worktrees(bytes)
/// show(decoded.model.elements)
/// for issue in decoded.issues where issue.severity == .loss { log(issue.description) }
/// ```
public struct WorkspaceAnswerReader: Sendable {
  private let decoder: TolerantDecoder

  /// Creates a reader.
  ///
  /// - Parameter decoder: How documents are read; a strict one refuses those with issues.
  public init(decoder: TolerantDecoder = TolerantDecoder()) { self.decoder = decoder }

  /// Reads a list of worktrees (`GET /v1/git/worktrees`); an empty body is an empty list.
  ///
  /// - Parameter bytes: The body.
  /// - Returns: The worktrees that have an id, a name, a branch, a repository and a path.
  /// - Throws: `DecodeFailure` if the body is not JSON within the limits.
  public func worktrees(
    _ bytes: [UInt8]
  ) throws(DecodeFailure) -> Decoded<LossyList<Workspace>> {
    try decoder.decode(bytes.isEmpty ? Array("[]".utf8) : bytes) { root in
      root.list { Workspace($0) } ?? LossyList()
    }
  }

  /// Reads what changed (`GET /v1/git/worktrees?since=…`).
  ///
  /// A server that does not know `since` answers with the whole list, which has no revision.
  ///
  /// - Parameter bytes: The body.
  /// - Returns: The changes; without a value if the body is neither changes nor a list.
  /// - Throws: `DecodeFailure` if the body is not JSON within the limits.
  public func delta(_ bytes: [UInt8]) throws(DecodeFailure) -> Decoded<WorkspaceDelta?> {
    try decoder.decode(bytes) { root in
      if root.isList {
        let all = root.list { Workspace($0) }?.elements ?? []
        return WorkspaceDelta(revision: "", isFull: true, changed: all, removed: [])
      }
      guard root.isObject(), let revision = root["revision"].string() else { return nil }
      return WorkspaceDelta(
        revision: revision,
        isFull: root["full"].bool() ?? false,
        changed: root["changed"].list { Workspace($0) }?.elements ?? [],
        removed: root["removed"].list { $0.string() }?.elements ?? []
      )
    }
  }

  /// Reads an agent session (`GET /v1/sessions/workspace/{id}`).
  ///
  /// - Parameter bytes: The body.
  /// - Returns: The session.
  /// - Throws: `DecodeFailure` if the body is not JSON within the limits.
  public func session(_ bytes: [UInt8]) throws(DecodeFailure) -> Decoded<WorkspaceSession> {
    try decoder.decode(bytes) { WorkspaceSession($0) }
  }

  /// Reads what a worktree changed (`GET /v1/git/worktrees/{id}/diff`).
  ///
  /// - Parameter bytes: The body.
  /// - Returns: The diff; without a value if the body does not say whose it is.
  /// - Throws: `DecodeFailure` if the body is not JSON within the limits.
  public func diff(_ bytes: [UInt8]) throws(DecodeFailure) -> Decoded<WorkspaceDiff?> {
    try decoder.decode(bytes) { WorkspaceDiff($0) }
  }

  /// Reads a worktree.
  ///
  /// - Parameter value: The worktree, such as a member of an event.
  /// - Returns: The worktree; without a value if one of the members that every worktree has is missing.
  /// - Throws: `DecodeFailure` if the value is larger than the limits.
  public func worktree(_ value: RawJSON) throws(DecodeFailure) -> Decoded<Workspace?> {
    try decoder.decode(value) { Workspace($0) }
  }
}

/// Reads values for Foundation's decoders in the same way.
enum TolerantValue {
  /// Reads a value.
  ///
  /// - Parameters:
  ///   - decoder: A decoder that keeps JSON's kinds apart.
  ///   - make: Makes the value.
  /// - Returns: The value.
  /// - Throws: `DecodingError` if nothing can be made.
  static func read<Value>(
    from decoder: any Decoder,
    _ make: (DecodeField) -> Value?
  ) throws -> Value {
    let decoded = try TolerantDecoder().decode(RawJSON(Document(from: decoder).value), make)
    guard let value = decoded.model else {
      let issues = decoded.issues.map(\.description).joined(separator: "; ")
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: issues)
      )
    }
    return value
  }

  /// Any JSON, numbers with fractions too.
  private struct Document: Decodable {
    let value: JSONValue

    init(from decoder: any Decoder) throws {
      if let members = try? [String: Document](from: decoder) {
        value = .object(members.mapValues(\.value))
      } else if let elements = try? [Document](from: decoder) {
        value = .list(elements.map(\.value))
      } else {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
          value = .null
        } else if let flag = try? container.decode(Bool.self) {
          value = .bool(flag)
        } else if let text = try? container.decode(String.self) {
          value = .string(text)
        } else if let number = try? container.decode(Int64.self) {
          value = .whole(number)
        } else {
          value = JSONValue(try container.decode(Double.self))
        }
      }
    }
  }
}
