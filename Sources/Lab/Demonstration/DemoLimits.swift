/// The limits of a demonstration.
package enum DemoLimits {
  /// How many agents work at once.
  package static let agents = 1...32
  /// The stops of the network.
  package static let stops = 100...10_000
  /// The seconds between two publications of the producer.
  package static let period = 1.0...60.0
  /// The connections of browsers that are passed on at once; more are closed.
  package static let connections = 256
  /// How long the server has to start, in seconds.
  package static let startSeconds = 60
  /// How long a child has to end after SIGTERM, in seconds; then it is killed.
  package static let endSeconds = 10
  /// How long a slow server runs, in milliseconds out of ``slowRound``.
  package static let slowRun = 5
  /// The time in which a slow server runs once, in milliseconds.
  package static let slowRound = 100
}
