import Foundation

/// How much a test does: `make test` runs a small form of what `make test-long` runs in full.
package enum TestScale {
  /// Whether this is `make test-long`.
  package static let isLong =
    ProcessInfo.processInfo.environment["FRESHET_TEST_LONG"] == "1"

  /// One of two sizes: of `make test`, or of `make test-long`.
  package static func sized<Size>(_ usual: Size, long: Size) -> Size { isLong ? long : usual }
}
