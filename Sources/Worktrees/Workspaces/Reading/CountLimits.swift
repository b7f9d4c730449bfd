import TolerantDecoding

/// The bounds of counts in what others say of worktrees.
package enum CountLimits {
  /// The greatest count: sums of a few of them are numbers too.
  package static let most = 1_000_000_000

  /// The count that is nearest to a number: neither negative nor greater than ``most``.
  package static func nearest(to number: Int) -> Int { min(max(number, 0), most) }
}

extension DecodeField {
  /// A count; a number that is too small or too great becomes the nearest one that can be counted with.
  func count() -> Int? { int(in: 0...CountLimits.most) }
}
