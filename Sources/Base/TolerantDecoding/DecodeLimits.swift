/// How much of a document is read.
public struct DecodeLimits: Hashable, Sendable {
  /// The longest document, in bytes.
  public var bytes = 32 << 20
  /// The deepest nesting.
  public var depth = 64
  /// The most values, counted with those inside of others.
  public var values = 2_000_000
  /// The most elements that are taken of one list.
  public var elements = 100_000
  /// The most issues that are kept; more are counted only.
  public var issues = 100
  /// The longest text of a document that is quoted in an issue, in characters.
  public var quoted = 60

  /// The usual limits.
  public init() {}
}
