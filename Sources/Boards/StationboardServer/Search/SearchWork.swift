import Synchronization

/// What one search cost, in things that are counted.
final class SearchWork: Sendable {
  private let nameCount = Atomic(0)
  private let comparisonCount = Atomic(0)

  /// How many names were read and ranked.
  var names: Int { nameCount.load(ordering: .relaxed) }
  /// How many words were compared letter by letter.
  var comparisons: Int { comparisonCount.load(ordering: .relaxed) }

  /// Names are to be ranked.
  ///
  /// - Parameter count: How many there are.
  /// - Returns: How many of them may be ranked: all searching together ranks ``StopSearch/mostNames``.
  func rank(_ count: Int) -> Int {
    let allowed = min(count, max(0, StopSearch.mostNames - names))
    nameCount.add(allowed, ordering: .relaxed)
    return allowed
  }

  /// Words were compared.
  func compared(_ count: Int) { comparisonCount.add(count, ordering: .relaxed) }
}
