/// Tokens of a session.
package struct TokenCounts: Hashable, Sendable {
  /// Tokens read, without those from the cache.
  package var input: Int64 = 0
  /// Tokens written.
  package var output: Int64 = 0
  /// Tokens read from the cache.
  package var cacheRead: Int64 = 0
  /// Tokens put into the cache.
  package var cacheCreation: Int64 = 0
  /// The size of the latest context.
  package var context: Int64 = 0

  /// None.
  package init() {}

  /// The sum of two counts; the context is the later one's.
  static func + (one: TokenCounts, other: TokenCounts) -> TokenCounts {
    var sum = one
    sum.input += other.input
    sum.output += other.output
    sum.cacheRead += other.cacheRead
    sum.cacheCreation += other.cacheCreation
    sum.context = other.context == 0 ? one.context : other.context
    return sum
  }
}
