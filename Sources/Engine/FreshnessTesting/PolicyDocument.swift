public import Foundation
public import Freshness
import StrictJSON

/// The JSON form of a policy, as `freshet-lab simulate --policy` and the vectors read it.
///
/// ```json
/// {"preset": "workspaces", "idle": 20000, "jitter": {"share": 5}}
/// ```
///
/// `preset` or `every` provides the values that the other members override. Every member is a field
/// of `Policy` under its Swift name, lengths of time are in milliseconds, and unknown members are
/// errors. ``PolicyFields`` has the limits.
public struct PolicyDocument: Hashable, Sendable {
  /// The policy.
  public var policy: Policy

  /// Wraps a policy.
  public init(_ policy: Policy) { self.policy = policy }

  /// Reads a policy from the bytes of a JSON document.
  ///
  /// - Throws: ``DocumentError`` with the line or the member.
  public init(decoding data: Data) throws(DocumentError) {
    let value: JSONValue
    do {
      value = try JSONReader.value(of: Array(data))
    } catch {
      throw DocumentError(problem: "line \(error.line), column \(error.column): \(error.problem)")
    }
    try self.init(value, at: DocumentError(problem: ""))
  }

  /// Reads a policy from a JSON value.
  init(_ value: JSONValue, at place: DocumentError) throws(DocumentError) {
    var reader = try MemberReader(value, at: place)
    policy = try PolicyFields.base(&reader)
    try PolicyFields.override(&policy, &reader)
    try reader.finish()
  }

  /// The names of the presets, and their policies.
  public static let presets: [(name: String, policy: Policy)] = [
    ("departuresWeb", .departuresWeb), ("departuresNative", .departuresNative),
    ("departuresWeb5s", .departuresWeb5s), ("workspaces", .workspaces), ("jobs", .jobs),
  ]

  /// The policy as a JSON value with every field.
  var value: JSONValue { .object(PolicyFields.members(of: policy)) }
}

extension PolicyDocument: Codable {
  /// Reads a policy from any decoder.
  ///
  /// - Throws: `DecodingError` with the member and the problem.
  public init(from decoder: any Decoder) throws {
    let value = try JSONValue(from: decoder)
    do {
      try self.init(value, at: DocumentError(problem: ""))
    } catch {
      let context = DecodingError.Context(
        codingPath: decoder.codingPath,
        debugDescription: error.description
      )
      throw DecodingError.dataCorrupted(context)
    }
  }

  /// Writes `every` and all other fields.
  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
