import StrictJSON

/// Tokens of a session.
///
/// Every number is from 0 to ``most``, whatever was written: sums stop there.
package struct TokenCounts: Hashable, Sendable {
  /// The greatest number: what every reader of JSON keeps exactly.
  package static let most = JSONValue.largestNumber

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

  /// A number of tokens that a record gives; 0 if it gives none.
  static func number(_ value: JSONValue?) -> Int64 {
    guard let number = value?.int64 else { return 0 }
    return min(max(number, 0), most)
  }

  /// The sum of two numbers from -``most`` to ``most``, from 0 to ``most``.
  static func sum(_ one: Int64, _ other: Int64) -> Int64 { min(max(one + other, 0), most) }

  /// The sum of two counts; the context is the later one's.
  static func + (one: TokenCounts, other: TokenCounts) -> TokenCounts {
    var sum = one
    sum.input = Self.sum(one.input, other.input)
    sum.output = Self.sum(one.output, other.output)
    sum.cacheRead = Self.sum(one.cacheRead, other.cacheRead)
    sum.cacheCreation = Self.sum(one.cacheCreation, other.cacheCreation)
    sum.context = other.context == 0 ? one.context : other.context
    return sum
  }

  /// Returns the difference between the counts and a part of them.
  static func - (one: TokenCounts, part: TokenCounts) -> TokenCounts {
    var rest = one
    rest.input = sum(one.input, -part.input)
    rest.output = sum(one.output, -part.output)
    rest.cacheRead = sum(one.cacheRead, -part.cacheRead)
    rest.cacheCreation = sum(one.cacheCreation, -part.cacheCreation)
    return rest
  }
}
