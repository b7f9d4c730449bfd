public import Freshness

/// A policy and its name.
public struct NamedPolicy: Sendable {
  /// The name, as `--preset` takes it.
  public var name: String
  /// The constants.
  public var policy: Policy

  /// Creates a named policy.
  public init(_ name: String, _ policy: Policy) {
    self.name = name
    self.policy = policy
  }

  /// All presets of the engine (engine.md).
  public static let presets = [
    NamedPolicy("departuresWeb", .departuresWeb),
    NamedPolicy("departuresNative", .departuresNative),
    NamedPolicy("departuresWeb5s", .departuresWeb5s),
    NamedPolicy("workspaces", .workspaces),
    NamedPolicy("jobs", .jobs),
  ]

  /// Options of a host besides the policy: a stream, a long poll, or both.
  ///
  /// The presets leave both off, so episodes choose one of these.
  enum Upgrade: Int64, CaseIterable, Sendable {
    case none, stream, longPoll, both

    func applied(to policy: Policy) -> Policy {
      var upgraded = policy
      if self == .stream || self == .both { upgraded.push = policy.push ?? Policy.Push() }
      if self == .longPoll || self == .both { upgraded.longPoll = policy.longPoll ?? .seconds(25) }
      return upgraded
    }
  }
}
