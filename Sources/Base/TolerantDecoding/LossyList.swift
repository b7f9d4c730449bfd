/// The usable elements of a list, and the number of dropped ones.
public struct LossyList<Element> {
  /// The usable elements, in order.
  public var elements: [Element]
  /// The number of dropped elements: unusable ones, and those over the limit.
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
