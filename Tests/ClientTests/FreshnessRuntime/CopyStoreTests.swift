import ConditionalHTTP
import Foundation
import Freshness
import FreshnessRuntime
import FreshnessTesting
import HTTPTypes
import Testing

@Suite("CopyStore")
struct CopyStoreTests {
  static let url = notesURL("/list")

  /// A folder that is removed with its owner.
  final class Folder {
    let url = FileManager.default.temporaryDirectory.appending(path: "copies-\(UUID().uuidString)")
    deinit { try? FileManager.default.removeItem(at: url) }

    var files: [URL] {
      (try? FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)) ?? []
    }
  }

  static func store(_ folder: Folder, _ wall: Wall, limits: CopyStore.Limits = .init()) -> CopyStore
  {
    CopyStore(folder: folder.url, limits: limits, wall: { wall.now })
  }

  /// Runs an app once: it shows what the server sends, and ends.
  static func run(
    _ folder: Folder,
    _ wall: Wall,
    answers: [ScriptedExchange.Reply],
    url: URL = Self.url,
    limits: CopyStore.Limits = .init(),
    token: String? = nil
  ) async throws {
    let stand = Stand(exchange: ScriptedExchange(answers))
    if let token { stand.client.identify(by: [.authorization: token]) }
    let resource = JSONResource(url, as: [Int].self)
    let store = store(folder, wall, limits: limits)
    var values = stand.client.values(of: resource, keptIn: store).makeAsyncIterator()
    while let value = await values.next(), value.provenance != .server {}
  }

  /// The first value of a new run, without a server.
  static func restart(
    _ folder: Folder,
    _ wall: Wall,
    token: String? = nil,
    limits: CopyStore.Limits = .init()
  ) async -> LiveSnapshot<[Int]>? {
    let stand = Stand(exchange: ScriptedExchange([.held]))
    if let token { stand.client.identify(by: [.authorization: token]) }
    let resource = JSONResource(url, as: [Int].self)
    let task = Task { [client = stand.client, store = store(folder, wall, limits: limits)] in
      for await _ in client.values(of: resource, keptIn: store) {}
    }
    defer { task.cancel() }
    // The request goes out once the stored copy, if any, is restored.
    try? await stand.exchange.waitForRequests(atLeast: 1)
    return stand.client.snapshot(of: resource)
  }

  @Test
  func `R38: after a restart the copy is there at once, from disk, three hours old, never live`()
    async throws
  {
    let (folder, wall) = (Folder(), Wall())
    try await Self.run(folder, wall, answers: [.json("[1,2]")])
    wall.now.milliseconds += 3 * 3_600_000
    let stand = Stand(exchange: ScriptedExchange([.held, .held]))
    let resource = JSONResource(Self.url, as: [Int].self)
    let store = Self.store(folder, wall)
    var values = stand.client.values(of: resource, keptIn: store).makeAsyncIterator()
    let stored = try #require(await values.next())
    #expect(stored.value == [1, 2])
    #expect(stored.provenance == .disk && stored.state == .stored)
    #expect(stored.age == .seconds(3 * 3_600))
    #expect(stored.label.wording == .hours(3))
    #expect(stored.label.badge != .live && stored.label.marker != .normal)
    try await stand.pass(.seconds(5))
    #expect(stored.age == .seconds(3 * 3_600 + 5))
    // The server's answer replaces it.
    try await stand.exchange.waitForRequests(atLeast: 1)
    stand.exchange.finish(1, with: .json("[3]"))
    let fresh = try #require(await values.next())
    #expect(fresh.value == [3] && fresh.provenance == .server && fresh.state == .live)
    #expect(fresh.age < .seconds(10))
  }

  @Test
  func `R38: a failure after a restart does not make the stored copy the server's`() async throws {
    let (folder, wall) = (Folder(), Wall())
    try await Self.run(folder, wall, answers: [.json("[1]")])
    let stand = Stand(exchange: ScriptedExchange([.status(.serviceUnavailable)]))
    let live = await LiveValue(
      JSONResource(Self.url, as: [Int].self),
      client: stand.client,
      keptIn: Self.store(folder, wall)
    )
    let task = Task { await live.observe() }
    #expect(
      await eventually {
        stand.client.snapshot(of: JSONResource(Self.url, as: [Int].self))?.failure != nil
      }
    )
    await MainActor.run {
      #expect(live.provenance == .disk)
      #expect(live.value == [1])
    }
    task.cancel()
    await task.value
  }

  @Test
  func `a wall clock that was set back makes no copy younger than it was`() async throws {
    let (folder, wall) = (Folder(), Wall())
    let stand = Stand(exchange: ScriptedExchange([.json("[1]"), .json("[2]")]))
    let resource = JSONResource(Self.url, as: [Int].self).made { _ in
      Date(timeIntervalSince1970: 1_799_999_400)
    }
    let date = HTTPField(name: .date, value: "Fri, 15 Jan 2027 08:00:00 GMT")
    let exchange = ScriptedExchange([.json("[1]", HTTPFields([date]))])
    let client = FreshnessClient(
      exchange: exchange,
      policy: .steady,
      clock: HostClock(stand.clock, wall: { wall.now })
    )
    var values = client.values(of: resource, keptIn: Self.store(folder, wall)).makeAsyncIterator()
    #expect(await values.next()?.age == .milliseconds(600_999))
    wall.now.milliseconds -= 86_400_000
    let restored = await Self.restart(folder, wall)
    #expect(restored?.label.age == .milliseconds(600_999))
    #expect(restored?.label.provenance == .disk)
  }

  @Test
  func `R37: after a restart a hidden cache does not make the same data younger`() async throws {
    let (folder, wall) = (Folder(), Wall())
    // Made at 07:50:00, served at 08:00:00 and again, from a cache, as at 07:50:03.
    let resource = JSONResource(Self.url, as: [Int].self).made { _ in
      Date(timeIntervalSince1970: 1_799_999_400)
    }
    func reply(_ date: String) -> ScriptedExchange.Reply {
      .json("[1]", HTTPFields([HTTPField(name: .date, value: date)]))
    }
    func run(_ date: String) async throws -> [LiveValues<JSONResource<[Int]>>.Element] {
      let stand = Stand(exchange: ScriptedExchange([.held]))
      var copies: [LiveValues<JSONResource<[Int]>>.Element] = []
      let store = Self.store(folder, wall)
      var values = stand.client.values(of: resource, keptIn: store).makeAsyncIterator()
      Task {
        try await stand.exchange.waitForRequests(atLeast: 1)
        stand.exchange.finish(1, with: reply(date))
      }
      while let value = await values.next() {
        copies.append(value)
        if value.provenance == .server { break }
      }
      return copies
    }
    #expect(try await run("Fri, 15 Jan 2027 08:00:00 GMT").map(\.age) == [.milliseconds(600_999)])
    wall.now.milliseconds += 60_000
    let copies = try await run("Fri, 15 Jan 2027 07:50:03 GMT")
    #expect(copies.map(\.provenance) == [.disk, .server])
    #expect(copies.map(\.age) == [.milliseconds(660_999), .milliseconds(660_999)])
    // Nor the copy of that copy.
    #expect(await Self.restart(folder, wall)?.label.age == .milliseconds(660_999))
  }

  @Test
  func `R19: another identity does not see the copy, and the file does not hold the token`()
    async throws
  {
    let (folder, wall) = (Folder(), Wall())
    try await Self.run(folder, wall, answers: [.json("[1]")], token: "Bearer secret-one")
    #expect(await Self.restart(folder, wall, token: "Bearer secret-two")?.value == nil)
    #expect(await Self.restart(folder, wall)?.value == nil)
    #expect(await Self.restart(folder, wall, token: "Bearer secret-one")?.value == [1])
    let file = try #require(folder.files.first)
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(!text.contains("secret") && !file.lastPathComponent.contains("secret"))
    await Self.store(folder, wall).removeAll()
    #expect(await Self.restart(folder, wall, token: "Bearer secret-one")?.value == nil)
  }

  @Test
  func `a file that is damaged at any byte or cut anywhere is not a copy, or the same copy`()
    async throws
  {
    let (folder, wall) = (Folder(), Wall())
    try await Self.run(folder, wall, answers: [.json("[1,2]")])
    let file = try #require(folder.files.first)
    let whole = try Data(contentsOf: file)
    for length in 0..<whole.count {
      try whole.prefix(length).write(to: file)
      #expect(await Self.restart(folder, wall)?.value == nil, "\(length) bytes")
    }
    var damaged = whole
    damaged[whole.startIndex] = 0xFF
    try damaged.write(to: file)
    #expect(await Self.restart(folder, wall)?.value == nil)
    #expect(folder.files.isEmpty)
  }

  @Test
  func `beyond its limits a store keeps the newest copies, and none that is too large or too old`()
    async throws
  {
    let (folder, wall) = (Folder(), Wall())
    let limits = CopyStore.Limits(copies: 2, bytes: 16, longestAge: .seconds(60))
    for number in 1...3 {
      let url = try #require(URL(string: "http://notes.example/\(number)"))
      try await Self.run(folder, wall, answers: [.json("[\(number)]")], url: url, limits: limits)
    }
    #expect(await Self.store(folder, wall, limits: limits).count == 2)
    let long = "[1,2,3,4,5,6,7,8,9]"
    try await Self.run(folder, wall, answers: [.json(long)], limits: limits)
    #expect(await Self.restart(folder, wall, limits: limits)?.value == nil)
    try await Self.run(folder, wall, answers: [.json("[1]")], limits: limits)
    wall.now.milliseconds += 60_000
    #expect(await Self.restart(folder, wall, limits: limits)?.value == [1])
    wall.now.milliseconds += 1
    #expect(await Self.restart(folder, wall, limits: limits)?.value == nil)
  }

  @Test
  func `a folder that cannot be written costs nothing but the copies`() async throws {
    let (folder, wall) = (Folder(), Wall())
    try Data().write(to: folder.url)
    try await Self.run(folder, wall, answers: [.json("[1]")])
    #expect(await Self.restart(folder, wall)?.value == nil)
  }
}
