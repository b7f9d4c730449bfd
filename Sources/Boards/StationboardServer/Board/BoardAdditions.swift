/// What boards say and understand beside the native contract, for clients of another server.
package struct BoardAdditions: OptionSet, Hashable, Sendable {
  package var rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `since_rt` may be the instant at which the publication was fetched, too.
  package static let arrivalTokens = BoardAdditions(rawValue: 1)
  /// Every departure says in `debug` where it comes from.
  package static let rowSources = BoardAdditions(rawValue: 2)
  /// `rt.instance` has a host, a process number and a build, and `rt.reason` is one of five values.
  package static let closedTypes = BoardAdditions(rawValue: 4)
}
