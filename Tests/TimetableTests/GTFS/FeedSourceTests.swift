import GTFS
import Testing

@Suite struct FeedSourceTests {
  @Test func `a folder and an archive give the same files`() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try folder.write(Array("stop_id\nA\n".utf8), to: "feed/stops.txt")
    try folder.run("zip", ["-q", "-r", "feed.zip", "feed"])
    for path in [folder.path + "/feed", folder.path + "/feed.zip"] {
      let source = try FeedSource.open(path)
      #expect(source.size(of: .stops) == 10)
      #expect(try source.open(.stops)?.all() == Array("stop_id\nA\n".utf8))
      #expect(source.size(of: .trips) == nil)
      #expect(try source.open(.trips) == nil)
    }
  }

  @Test func `a path that does not exist is unreadable`() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let error = #expect(throws: FeedError.self) { try FeedSource.open(folder.path + "/none.zip") }
    #expect(error?.code == .unreadable)
    #expect(error?.message.contains("none.zip: No such file") == true)
  }

  @Test func `a folder in the place of a file is unreadable`() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try folder.write([], to: "feed/stops.txt/x")
    let error = #expect(throws: FeedError.self) {
      _ = try FeedSource.open(folder.path + "/feed").open(.stops)?.all()
    }
    #expect(error?.code == .unreadable)
  }

  @Test func `five files are required`() {
    let required = FeedFile.allCases.filter(\.isRequired).map(\.rawValue)
    #expect(required == ["agency.txt", "stops.txt", "routes.txt", "trips.txt", "stop_times.txt"])
  }
}
