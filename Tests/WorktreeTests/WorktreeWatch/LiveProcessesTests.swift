import Glibc
import Testing

@testable import WorktreeWatch

/// Processes that use a folder, in a `/proc` of the test's own.
@Suite struct LiveProcessesTests {
  /// A folder like `/proc`.
  private final class Processes {
    private let files = TemporaryRepository()
    private(set) var last: Int32 = 100

    var proc: String { files.path("proc") }

    /// The folder whose users are looked for; it need not exist.
    let folder: String

    /// Starts with this process, which sees the root of a file system and some other mounts.
    init(_ folder: String = "/w/tree", mounts: [String] = []) throws {
      self.folder = folder
      try write("self", namespace: 1, mounts: ["1 0 8:1 / / rw - ext4 /dev/a rw"] + mounts)
    }

    private func write(_ name: String, namespace: Int, mounts: [String]) throws {
      try files.write("proc/\(name)/mountinfo", mounts.joined(separator: "\n"))
      try link("\(name)/ns/mnt", to: "mnt:[\(namespace)]")
    }

    private func link(_ name: String, to target: String) throws {
      let path = "\(proc)/\(name)"
      if symlink(target, path) == 0 { return }
      // The folder is not there yet.
      try files.write("proc/\(name).x", "")
      #expect(unlink(path + ".x") == 0 && symlink(target, path) == 0)
    }

    /// Adds a process.
    ///
    /// - Parameters:
    ///   - links: Its links by their names, such as `cwd` and `fd/3`.
    ///   - maps: The paths of what it has mapped.
    ///   - sockets: The lines of the list of its sockets.
    ///   - mounts: What it sees in a namespace of its own; `nil` if it sees what this process does.
    /// - Returns: Its number.
    /// - Throws: If a file cannot be written.
    @discardableResult
    func add(
      _ links: [String: String],
      maps: [String] = [],
      sockets: [String] = [],
      mounts: [String]? = nil
    ) throws -> Int32 {
      last += 1
      if let mounts {
        try write("\(last)", namespace: Int(last), mounts: mounts)
      } else {
        try link("\(last)/ns/mnt", to: "mnt:[1]")
      }
      try link("\(last)/ns/net", to: "net:[\(last)]")
      for (name, target) in links { try link("\(last)/\(name)", to: target) }
      let lines = maps.map { "7f00-7f01 r-xp 00000000 08:01 12      \($0)" }
      try files.write(
        "proc/\(last)/maps",
        (["7e00-7e01 rw-p 00000000 00:00 0 "] + lines + [""]).joined(separator: "\n")
      )
      try files.write("proc/\(last)/net/unix", (["Num Path"] + sockets).joined(separator: "\n"))
      try files.write(
        "proc/\(last)/stat",
        "\(last) (tool) S 1 " + Array(repeating: "7", count: 40).joined(separator: " ")
      )
      return last
    }

    func found(besides inner: [String] = [], among numbers: [Int32]? = nil) -> [LiveProcess] {
      LiveProcesses.scan(folder, inner, among: numbers, proc: proc)
    }

    func uses(besides inner: [String] = []) -> [Int32: LiveProcess.Use] {
      Dictionary(uniqueKeysWithValues: found(besides: inner).map { ($0.number, $0.use) })
    }
  }

  @Test func `A process is found by each of its links, files and mappings`() throws {
    let all = try Processes()
    let nothing = [
      "cwd": "/w", "exe": "/bin/sh", "root": "/", "fd/0": "/dev/null", "fd/1": "pipe:[3]",
    ]
    func add(_ links: [String: String], maps: [String] = []) throws -> Int32 {
      try all.add(nothing.merging(links) { $1 }, maps: maps + ["/lib/libc.so"])
    }
    let expected: [Int32: LiveProcess.Use] = [
      try add(["cwd": "/w/tree"]): .workingFolder,
      try add(["cwd": "/w/tree/a/b"]): .workingFolder,
      try add(["exe": "/w/tree/tool"]): .program,
      try add(["root": "/w/tree/jail"]): .rootFolder,
      try add(["fd/9": "/w/tree/a"]): .file("/w/tree/a"),
      try add([:], maps: ["/w/tree/a", "/w/tree/b"]): .mapping("/w/tree/a"),
      try add([:], maps: ["/w/tree/a\\012b"]): .mapping("/w/tree/a\\012b"),
    ]
    for path in [
      "/w/trees/a", "/w/tree (deleted)", "/w/tree/a (deleted)", "w/tree/a", "/w", "/x/w/tree/a",
    ] {
      _ = try add(["fd/9": path], maps: [path])
      _ = try add(["cwd": path, "exe": path, "root": path])
    }
    #expect(all.uses() == expected)
    let inner = try add(
      ["cwd": "/w/tree/inner", "fd/9": "/w/tree/inner/a"],
      maps: ["/w/tree/inner/a"]
    )
    #expect(all.uses()[inner] == .workingFolder)
    #expect(all.uses(besides: ["/w/tree/inner"]) == expected)
    // Only those that are asked for are looked at.
    let two = Array(expected.keys.sorted().prefix(2))
    #expect(all.found(among: [two[1], two[0], 99_999, inner + 1]).map(\.number) == two)
  }

  @Test func `Names of folders are compared by their bytes`() throws {
    for (folder, others) in [
      ("/w/caf\u{E9}", ["/w/cafe\u{301}", "/w/cafe"]), ("/w/a\nb", ["/w/a", "/w/a b"]),
      ("/w/a\\012b", ["/w/a", "/w/a b"]),
    ] {
      let all = try Processes(folder)
      for other in others {
        try all.add(["cwd": other, "fd/1": other + "/x"], maps: [other + "/x"])
      }
      let mapped = folder.split(separator: "\n").joined(separator: "\\012") + "/x"
      let expected: [Int32: LiveProcess.Use] = [
        try all.add(["cwd": folder]): .workingFolder,
        try all.add(["fd/1": folder + "/x"]): .file(folder + "/x"),
        try all.add([:], maps: [mapped]): .mapping(folder + "/x"),
      ]
      #expect(all.uses() == expected)
    }
  }

  @Test func `A process is found through the mounts that it sees itself`() throws {
    let all = try Processes(mounts: ["2 1 8:1 /w/tree/a /bound rw - ext4 /dev/a rw"])
    let root = "1 0 8:2 / / rw - ext4 /dev/b rw"
    let mounts = [
      "2 1 8:1 /w /in rw - ext4 /dev/a rw", "3 1 8:1 /w/tree/sub /sub rw - ext4 /dev/a rw",
      "4 2 8:3 / /in/tree/hidden rw - ext4 /dev/c rw",
    ]
    func add(_ path: String, _ mounts: [String]?) throws -> Int32 {
      try all.add(["cwd": "/", "root": "/", "fd/1": path], mounts: mounts)
    }
    let expected: [Int32: LiveProcess.Use] = [
      try add("/bound/x", nil): .file("/bound/x"),
      try add("/in/tree", [root] + mounts): .file("/in/tree"),
      try add("/in/tree/x", [root] + mounts): .file("/in/tree/x"),
      try add("/sub/x", [root] + mounts): .file("/sub/x"),
      // The whole of what it sees is in the folder.
      try add("/dev/null", ["1 0 8:1 /w/tree/jail / rw - ext4 /dev/a rw"]): .workingFolder,
    ]
    for path in ["/w/tree/x", "/in", "/in/trees", "/in/tree/hidden/x", "/subs", "/bound/x"] {
      _ = try add(path, [root] + mounts)
    }
    #expect(all.uses() == expected)
  }

  @Test func `A process is found through an overlay that the folder is a layer of`() throws {
    let all = try Processes()
    func mounts(_ lower: String) -> [String] {
      ["1 0 8:1 / / rw - ext4 /dev/a rw", "2 1 0:9 / /all rw - overlay none rw,lowerdir=\(lower)"]
    }
    func add(_ path: String, _ lower: String) throws -> Int32 {
      try all.add(["cwd": "/", "root": "/"], maps: [path], mounts: mounts(lower))
    }
    let expected: [Int32: LiveProcess.Use] = [
      try add("/all/x", "/w/tree"): .mapping("/all/x"),
      try add("/all/x", "/base:/w/tree/a"): .mapping("/all/x"),
      try add("/all/tree/x", "/w"): .mapping("/all/tree/x"),
      try add("/all/w/tree", "/"): .mapping("/all/w/tree"),
    ]
    _ = try add("/all/x", "/w")
    _ = try add("/all/x", "/w/trees")
    _ = try add("/allx/y", "/w/tree")
    #expect(all.uses() == expected)
  }

  @Test func `A process is found by the path of its socket`() throws {
    let all = try Processes()
    func add(_ path: String) throws -> Int32 {
      try all.add(
        ["cwd": "/w", "root": "/", "fd/3": "socket:[77]"],
        sockets: ["0000: 00000002 00000000 00010000 0001 01 77 \(path)"]
      )
    }
    let expected: [Int32: LiveProcess.Use] = [
      try add("/w/tree/s"): .socket("/w/tree/s"), try add("tree/s"): .socket("/w/tree/s"),
    ]
    for path in ["/w/s", "s", "@/w/tree/s"] { _ = try add(path) }
    #expect(all.uses() == expected)
  }

  @Test func `A scan takes about as long with many mounts as with few`() throws {
    let files = (0..<200).map { ("fd/\($0)", "/home/me/project/file\($0)") }
    let maps = (0..<400).map { "/usr/lib/lib\($0).so" }
    func time(mounts: Int) throws -> Double {
      let all = try Processes(
        mounts: (2..<mounts).map { "\($0) 1 0:\($0) / /run/user/mount\($0) rw - tmpfs t rw" }
      )
      for _ in 0..<20 {
        try all.add(["cwd": "/", "root": "/"].merging(files) { $1 }, maps: maps)
      }
      return (0..<3).map { _ in
        let began = processorTime()
        #expect(all.found().isEmpty)
        return processorTime() - began
      }.min() ?? 0
    }
    let (few, many) = (try time(mounts: 3), try time(mounts: 300))
    #expect(many < few * 4, "\(many) s, \(few) s")
  }

  private func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
