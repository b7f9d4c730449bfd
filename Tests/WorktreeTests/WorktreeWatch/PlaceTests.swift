import Git
import Testing
import Workspaces

@testable import WorktreeWatch

/// Where a path leads, whatever mounts and sockets are between.
@Suite struct PlaceTests {
  private func view(_ lines: [String]) -> MountView {
    MountView(MountPoints.list(Array(lines.joined(separator: "\n").utf8)))
  }

  private func place(_ device: String, _ path: String) -> FileSystemPlace {
    FileSystemPlace(device: Array(device.utf8), path: Array(path.utf8))
  }

  @Test func `A path is the same place through each mount of its file system`() {
    let mounts = view([
      "1 0 8:1 / / rw - ext4 /dev/a rw", "2 1 8:2 / /home rw - ext4 /dev/b rw",
      "3 1 8:2 /me/code/app /workspace rw shared:1 - ext4 /dev/b rw",
      "4 1 8:2 /me/code/app/src /mnt\\040x rw - ext4 /dev/b rw",
      "5 1 0:5 / /home/me/t rw - tmpfs t rw",
      "6 1 8:3 /sub / rw - btrfs /dev/c rw",
    ])
    #expect(mounts.place(of: "/home/me/code/app/a") == place("8:2", "/me/code/app/a"))
    #expect(mounts.place(of: "/workspace/a") == place("8:2", "/me/code/app/a"))
    #expect(mounts.place(of: "/workspace") == place("8:2", "/me/code/app"))
    #expect(mounts.place(of: "/mnt x/y") == place("8:2", "/me/code/app/src/y"))
    #expect(mounts.place(of: "/home/me/t/x") == place("0:5", "/x"))
    #expect(
      mounts.place(of: "/homely") == place("8:3", "/sub/homely"),
      "the later mount hides the first"
    )
    #expect(mounts.place(of: "/") == place("8:3", "/sub"))
    #expect(view([]).place(of: "/a") == nil)
  }

  @Test func `The layers of an overlay are told from its other options`() {
    func layers(_ type: String, _ options: String) -> [String] {
      MountPoints.list(Array("1 0 0:9 / /all rw - \(type) none \(options)".utf8))
        .flatMap(\.layers).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(
      layers(
        "overlay",
        "rw,lowerdir=/a\\040b:/c\\134:d::/data,upperdir=/u\\054v,workdir=/w,index=on"
      )
        == ["/a b", "/c:d", "/data", "/u,v"]
    )
    #expect(layers("overlay", "rw,lowerdir+=/a,datadir+=/b") == ["/a", "/b"])
    #expect(layers("overlay", "rw").isEmpty && layers("ext4", "rw,lowerdir=/a").isEmpty)
  }

  @Test func `A place is within itself and what is above it`() {
    let app = place("8:2", "/me/app")
    #expect(app.contains(app) && app.contains(place("8:2", "/me/app/x")))
    #expect(!app.contains(place("8:2", "/me/apple")) && !app.contains(place("8:3", "/me/app/x")))
    #expect(place("8:2", "/").contains(app) && !app.contains(place("8:2", "/me")))
  }

  @Test func `Sockets are told by their inodes`() {
    let list = """
      Num       RefCount Protocol Flags    Type St Inode Path
      0000000000000000: 00000002 00000000 00010000 0001 01 11 /w/a socket
      0000000000000000: 00000002 00000000 00010000 0001 01 12 ./b
      0000000000000000: 00000002 00000000 00010000 0001 01 13 @abstract
      0000000000000000: 00000003 00000000 00000000 0001 03 14
      0000000000000000: 00000002 00000000 00010000 0001 01 15 c
      """
    let paths = SocketPaths(Array(list.utf8))
    #expect(paths.path(11, in: nil) == "/w/a socket")
    #expect(paths.path(12, in: "/w") == "/w/b")
    #expect(paths.path(15, in: "/w") == "/w/c" && paths.path(15, in: nil) == nil)
    #expect(paths.path(13, in: "/w") == nil && paths.path(14, in: "/w") == nil)
    #expect(SocketPaths([]).path(11, in: "/w") == nil)
    func number(_ link: String) -> UInt64? {
      Array(link.utf8).withUnsafeBytes { SocketPaths.number($0) }
    }
    #expect(number("socket:[11]") == 11)
    for link in ["pipe:[11]", "socket:[x]", "socket:[", "socket:[]", "", "/socket:[11]"] {
      #expect(number(link) == nil, "\(link)")
    }
  }

  @Test func `Who stays inside for long makes room, and leaves but once`() async throws {
    let semaphore = AsyncSemaphore(1, late: 1)
    let (stream, go) = AsyncStream.makeStream(of: Void.self)
    let first = Task {
      try await semaphore.run(patience: 0) { for await _ in stream { break } }
    }
    // The second comes in while the first is inside, and makes no room for a third.
    try await semaphore.run(patience: 3_600) {}
    try await semaphore.run(patience: 3_600) {}
    go.yield()
    try await first.value
    // As many as before may run.
    let inside = AsyncSemaphore(1, late: 0)
    try await inside.run(patience: 0) {}
    try await semaphore.run(patience: 3_600) {}
  }

  @Test func `What runs for long makes room for others, up to a limit`() {
    var budget = RefreshBudget<Int>(spacing: 1, most: 2, patience: 5)
    for key in 0..<20 { budget.request(key, at: 0) }
    #expect(budget.begin(at: 0).count == 2)
    #expect(budget.begin(at: 4).isEmpty)
    #expect(budget.deadline == 5)
    #expect(budget.begin(at: 5).count == 2)
    #expect(budget.begin(at: 9).isEmpty && budget.deadline == 10)
    #expect(budget.begin(at: 10).count == 2 && budget.begin(at: 15).count == 2)
    #expect(budget.begin(at: 100).isEmpty && budget.deadline == nil, "eight run, which is all")
    budget.end(0)
    #expect(budget.begin(at: 100).count == 1)
  }
}
