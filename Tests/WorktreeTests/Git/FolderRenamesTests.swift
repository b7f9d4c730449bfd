import Testing

@testable import Git

@Suite struct FolderRenamesTests {
  private func places(_ renames: [(String, String)], _ paths: [String]) -> Set<String> {
    var found = FolderRenames()
    for (old, new) in renames { found.note(Array(old.utf8), Array(new.utf8)) }
    let places = found.places(of: paths.map { Array($0.utf8) })
    return Set(places.map { String(decoding: $0, as: UTF8.self) })
  }

  @Test func `What is new in a renamed folder may come to the new one`() {
    #expect(
      places([("old/a", "new/a")], ["old/x", "old/in/y", "other/z"]) == ["new/x", "new/in/y"]
    )
    #expect(places([("old/a", "old/b")], ["old/x"]) == [])
    #expect(places([("a/old/in/f", "a/new/in/f")], ["a/old/x"]) == ["a/new/x"])
    #expect(places([("f", "in/f")], ["x"]).contains("in/x"))
    #expect(places([("in/f", "f")], ["in/x"]) == ["x"])
  }

  @Test func `One rename may follow another`() {
    #expect(places([("a/f", "b/f"), ("b/f", "c/f")], ["a/x"]) == ["b/x", "c/x"])
    #expect(places([("a/f", "b/f"), ("b/f", "a/f")], ["a/x"]) == ["a/x", "b/x"])
  }

  @Test func `Names are bytes and other lines do not count`() {
    var renames = FolderRenames()
    renames.note(Array("R087\0old/a\0new/b\0R100\0e\u{301}/f\0\u{E9}/f\0".utf8))
    let found = renames.places(of: [Array("\u{E9}/x".utf8), Array("e\u{301}/x".utf8)])
    #expect(found == [Array("\u{E9}/x".utf8)])
  }
}
