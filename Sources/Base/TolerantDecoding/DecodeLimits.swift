/// The limits of decoding a document.
public struct DecodeLimits: Hashable, Sendable {
  /// The maximum size of a document, in bytes.
  public var bytes = 32 << 20
  /// The maximum nesting.
  public var depth = 64
  /// The maximum number of values, including nested ones.
  public var values = 2_000_000
  /// The maximum number of elements that are read from one list.
  public var elements = 100_000
  /// The maximum number of issues that are kept; further ones are only counted.
  public var issues = 100
  /// The maximum length of a string quoted in an issue, in characters.
  public var quoted = 60

  /// Creates the default limits.
  public init() {}
}
