/// The TLS settings of a configuration file; absent ones are `nil`.
package struct TLSSettings: Hashable, Sendable {
  /// The most seconds that browsers may be asked to remember that a host speaks HTTPS: two years.
  package static let longestStrictTransport: Int64 = 63_072_000

  /// The file of the certificate and the intermediate ones.
  package var certificate: String?
  /// The file of the private key.
  package var key: String?
  /// For how long browsers are asked to use HTTPS only, in seconds; 0 for not at all.
  package var hstsSeconds: Int?

  init(_ object: SettingsObject) throws(SettingsError) {
    var object = object
    certificate = try object.text("certificate", "a file")
    key = try object.text("key", "a file")
    hstsSeconds = try object.whole("hstsSeconds", 0...Self.longestStrictTransport)
    try object.end()
  }
}
