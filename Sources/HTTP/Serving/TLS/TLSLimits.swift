/// Limits of the files that a server speaks TLS with, and of how they are watched.
package enum TLSLimits {
  /// The most bytes of a certificate or key file.
  package static let fileBytes = 1 << 20
  /// The most certificates in a file: the server's own and the intermediate ones.
  package static let chain = 16
  /// How often the files are compared with those in use, in seconds.
  ///
  /// New files are used once they have stayed the same between two comparisons: tools replace certificate and key one
  /// after the other.
  package static let checkSeconds = 2
  /// How many days before a certificate expires the log warns, each time that one of them is reached.
  package static let warningDays = [14, 7, 3, 1]
  /// The most seconds that `Strict-Transport-Security` may ask for: two years.
  package static let longestStrictTransport = 63_072_000
  /// The seconds that it asks for if nothing is said: a year.
  package static let usualStrictTransport = 31_536_000
}
