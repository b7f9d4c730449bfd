/// What one client may ask of a server before it is cut off, in one place: the same for every service on it.
package struct ServerLimits: Hashable, Sendable {
  /// The most connections at once; more wait to be accepted.
  package var connections = 4_096
  /// How long a connection may be idle or take to send the head of a request, in seconds.
  package var idleSeconds = 75
  /// How long a TLS handshake may take, in seconds.
  package var handshakeSeconds = 10
  /// The most streams at once on a connection of HTTP/2.
  package var streams = 100
  /// The most streams that a client resets, and other frames without a request, on a connection of HTTP/2 in 30 s.
  package var resets = 200
  /// How long a peer may take nothing of what waits to be sent to it, in seconds.
  package var stalledSeconds = 60
  /// How long a peer may take to disconnect after its last answer, or after a Close, in seconds.
  package var closeSeconds = 5
  /// The least rate of the content of a request, in bytes a second.
  package var bodyBytesPerSecond = 1 << 10
  /// How far the content of a request may fall behind its least rate, in seconds.
  package var bodySlackSeconds = 60
  /// The most bytes of the content of a request that come after its answer.
  package var unreadBytes = 64 << 20
  /// The most bytes of one header field.
  package var fieldBytes = 16 << 10
  /// The most bytes of all header fields of a request.
  package var fieldsBytes = 64 << 10
  /// The most header fields of a request.
  package var fields = 128
  /// How many boards a second are answered with ease; if more clients ask after a change, they are asked to
  /// spread.
  package var boardsPerSecond = 200
  /// How long the requests of one client network may have to wait for each other while others ask too, in milliseconds.
  package var patienceMilliseconds = 2_000
  /// The most requests of all client networks that wait for their turn.
  package var waitingRequests = 4_096
  /// The most client networks that are told apart.
  package var networks = 4_096
  /// The most percent of connections, streams, waits and uploads that one client network holds.
  package var networkPercent = 75

  /// The usual limits.
  package init() {}
}

extension ServerLimits {
  /// The names of all limits, in alphabetical order.
  package static var names: [String] { table.map(\.name).sorted() }

  private typealias Place = any WritableKeyPath<ServerLimits, Int> & Sendable

  private static let table: [(name: String, place: Place)] = [
    ("connections", \.connections), ("idleSeconds", \.idleSeconds),
    ("handshakeSeconds", \.handshakeSeconds), ("streams", \.streams), ("resets", \.resets),
    ("stalledSeconds", \.stalledSeconds), ("closeSeconds", \.closeSeconds),
    ("bodyBytesPerSecond", \.bodyBytesPerSecond), ("bodySlackSeconds", \.bodySlackSeconds),
    ("unreadBytes", \.unreadBytes), ("fieldBytes", \.fieldBytes), ("fieldsBytes", \.fieldsBytes),
    ("fields", \.fields), ("boardsPerSecond", \.boardsPerSecond),
    ("patienceMilliseconds", \.patienceMilliseconds), ("waitingRequests", \.waitingRequests),
    ("networks", \.networks), ("networkPercent", \.networkPercent),
  ]

  /// Returns the bounds of a limit; `nil` for an unknown name.
  package static func bounds(of name: String) -> ClosedRange<Int>? {
    guard table.contains(where: { $0.name == name }) else { return nil }
    return 1...(name.hasSuffix("Percent") ? 100 : Int.max)
  }

  /// Sets a limit by its name.
  ///
  /// - Parameters:
  ///   - name: The name, one of ``names``.
  ///   - value: The value.
  /// - Returns: Whether there is such a limit and the value is within its bounds (``bounds(of:)``).
  package mutating func set(_ name: String, to value: Int) -> Bool {
    guard Self.bounds(of: name)?.contains(value) == true,
      let place = Self.table.first(where: { $0.name == name })?.place
    else { return false }
    self[keyPath: place] = value
    return true
  }
}
