extension JobCloseCode {
  /// Returns the reaction to a close with any code, including those of other servers.
  ///
  /// - Parameters:
  ///   - code: The code.
  ///   - reason: The reason, which alone distinguishes some codes of older servers.
  /// - Returns: What to do.
  public static func action(after code: UInt16, reason: String) -> Action {
    action(after: code, isLimit: isLimit(reason))
  }

  /// Returns whether the reason of a close is a limit.
  static func isLimit(_ reason: String) -> Bool {
    let text = reason.lowercased()
    return text.contains("limit") || text.contains("too many")
  }
}
