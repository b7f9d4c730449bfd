import ServeSettings
import Testing

@Suite("Names of dialects")
struct DialectTests {
  @Test("A configuration names the dialects; another word is refused with the ones there are.")
  func configuration() throws {
    let settings = try ServeSettings(
      Array(#"{"speak": ["catnip", "mesdeparts"]}"#.utf8),
      file: "c.json",
      environment: { _ in nil }
    )
    #expect(settings.speak == [.catnip, .mesdeparts])
    let error = #expect(throws: SettingsError.self) {
      _ = try ServeSettings(
        Array(#"{"speak": ["dutch"]}"#.utf8),
        file: "c.json",
        environment: { _ in nil }
      )
    }
    #expect(error?.description.contains("mesdeparts, catnip, bookstrack") == true)
  }
}
