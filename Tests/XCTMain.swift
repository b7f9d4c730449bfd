import Testing

/// Runs the tests.
///
/// With an entry point of its own, the bundle is built without the index in which SwiftPM looks for tests of XCTest.
@main struct AllTests {
  static func main() async {
    await Testing.__swiftPMEntryPoint() as Never
  }
}
