/// The elements of a list that could be used, and how many could not.
public struct LossyList<Element> {
  /// Those that could be used, in order.
  public var elements: [Element]
  /// How many were left out: unusable ones, and those over the limit.
  public var dropped: Int

  /// Creates a list.
  @inlinable
  public init(_ elements: [Element] = [], dropped: Int = 0) {
    self.elements = elements
    self.dropped = dropped
  }
}

extension LossyList: Sendable where Element: Sendable {}
extension LossyList: Equatable where Element: Equatable {}
extension LossyList: Hashable where Element: Hashable {}
