import Git
import Workspaces

/// The objects that a worktree holds: what its HEAD, its index, and every other file of its git directory name.
///
/// Git treats them as reachable while the worktree is one of the repository. Afterwards, refs have to hold whatever
/// nothing else does.
struct KeptObjects: Sendable {
  /// Refs to make, by their names behind ``RestoreFolder/refs(_:)``, in order.
  private(set) var refs: [(name: String, object: String)] = []
  /// How many commits nothing else in the repository holds.
  private(set) var commits = 0

  /// Finds them.
  ///
  /// - Parameters:
  ///   - layout: Where the worktree is.
  ///   - branch: Its branch, and whether that goes too.
  ///   - runner: Runs git.
  /// - Returns: The refs that hold everything the worktree held. Objects that are missing are left out.
  /// - Throws: ``ActionRefusal`` if there is too much to scan through; ``GitRunner/Failure``.
  static func find(
    _ layout: GitLayout,
    branch: (ref: String, object: String?, log: String, goes: Bool)?,
    runner: GitRunner
  ) async throws -> Self {
    var found = Self()
    var names = try await namesInFiles(layout.gitDirectory, besides: ["modules"])
    if let branch, branch.goes { names.formUnion(try readNames(in: branch.log)) }
    let head = try await commit("HEAD", layout.worktree, runner)
    let kinds = try await kinds(of: names, layout.commonDirectory, runner)
    let commits = Set(kinds.filter { $0.value == "commit" }.keys)
    let tags = Set(kinds.filter { $0.value == "tag" }.keys)
    if let head { found.refs.append(("head", head)) }
    if let object = branch?.object, object != head { found.refs.append(("branch", object)) }
    let own = [head, branch?.object].compactMap(\.self)
    let others = branch.map { $0.goes ? ["--exclude=\($0.ref)"] : [] } ?? []
    let all = try await unreachable(
      commits.union(tags).union(own),
      others + ["--exclude=refs/freshet/*", "--all"],
      layout.commonDirectory,
      runner
    )
    found.commits = all.count
    // A commit is held by those that come after it.
    let inner = Set(all.flatMap { $0.dropFirst() })
    let tips = all.compactMap(\.first).filter { !inner.contains($0) && !own.contains($0) }
    let objects = try await objects(in: layout, head, kinds, runner)
    if let objects { found.refs.append(("objects", objects)) }
    for (number, object) in (tips + tags.sorted()).enumerated() {
      found.refs.append(("\(number)", object))
    }
    return found
  }

  // MARK: Names in files

  /// Every name of an object in the files of a folder, in any depth; the index is read by git.
  @concurrent
  private static func namesInFiles(
    _ folder: String,
    besides left: Set<String>
  ) async throws -> Set<String> {
    var names: Set<String> = []
    var open = [folder]
    var count = 0
    while let here = open.popLast() {
      for name in HostFile.names(in: here, most: WatchLimits.gitDirectoryFiles) {
        count += 1
        guard count <= WatchLimits.gitDirectoryFiles else { throw tooMuch(folder) }
        let path = HostFile.join(here, name)
        switch HostFile.kindOfItself(path) {
        case .folder where here.isSameName(as: folder) && left.contains(name): continue
        case .folder: open.append(path)
        case .file
        where here.isSameName(as: folder) && (name == "index" || name.hasPrefix("sharedindex.")):
          continue
        case .file: names.formUnion(try readNames(in: path))
        default: continue
        }
      }
    }
    return names
  }

  private static func tooMuch(_ path: String) -> ActionRefusal {
    ActionRefusal(
      .gitFailed,
      "\(path) is too large to find the commits that only this worktree holds",
      files: [path]
    )
  }

  private static func readNames(in path: String) throws -> Set<String> {
    guard HostFile.kindOfItself(path) == .file else { return [] }
    guard let bytes = HostFile.bytes(path, limit: WatchLimits.gitDirectoryFileBytes) else {
      throw tooMuch(path)
    }
    return names(in: bytes)
  }

  /// The names of objects in a text: words of 40 or 64 digits of base 16.
  static func names(in bytes: [UInt8]) -> Set<String> {
    var names: Set<String> = []
    var start: Int?
    for position in 0...bytes.count {
      let byte = position < bytes.count ? bytes[position] : 0
      let isDigit = (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
      if isDigit {
        start = start ?? position
      } else if let begin = start {
        let word = bytes[begin..<position]
        if word.count == 40 || word.count == 64, word.contains(where: { $0 != 0x30 }) {
          names.insert(String(decoding: word, as: UTF8.self))
        }
        start = nil
      }
    }
    return names
  }

  // MARK: Asking git

  private static func commit(
    _ name: String,
    _ folder: String,
    _ runner: GitRunner
  ) async throws -> String? {
    let answer = try await runner.run(
      ["rev-parse", "--verify", "--quiet", name],
      in: folder,
      accepted: 0...1
    )
    return answer.code == 0 ? answer.text : nil
  }

  /// The type of each existing object.
  private static func kinds(
    of names: Set<String>,
    _ common: String,
    _ runner: GitRunner
  ) async throws -> [String: String] {
    guard !names.isEmpty else { return [:] }
    let answer = try await runner.run(
      ["cat-file", "--batch-check", "--buffer"],
      in: common,
      timeout: WatchLimits.diffTimeout,
      input: names.sorted().flatMap { Array($0.utf8) + [0x0A] }
    )
    var kinds: [String: String] = [:]
    for line in answer.text.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count == 3 else { continue }
      kinds[String(fields[0])] = String(fields[1])
    }
    return kinds
  }

  /// The commits that are not reachable from some refs, each with its parents behind it.
  private static func unreachable(
    _ objects: Set<String>,
    _ excluded: [String],
    _ common: String,
    _ runner: GitRunner
  ) async throws -> [[String]] {
    // Without a commit to begin with git does not list any, but says how it is used.
    guard !objects.isEmpty else { return [] }
    let answer = try await runner.run(
      ["rev-list", "--parents", "--stdin", "--single-worktree", "--not"] + excluded,
      in: common,
      timeout: WatchLimits.diffTimeout,
      variables: ["GIT_DIR": common],
      input: objects.sorted().flatMap { Array($0.utf8) + [0x0A] }
    )
    return answer.text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
  }

  /// A tree that holds what is staged, each stage of paths in conflict, and other objects without a commit.
  private static func objects(
    in layout: GitLayout,
    _ head: String?,
    _ kinds: [String: String],
    _ runner: GitRunner
  ) async throws -> String? {
    var blobs = Set(kinds.filter { $0.value == "blob" }.keys)
    let trees = kinds.filter { $0.value == "tree" }.keys.sorted()
    let staged: GitRunner.Answer
    if head != nil {
      // :mode mode object object status, NUL, path
      staged = try await runner.run(
        ["diff-index", "--cached", "--raw", "--no-renames", "--no-abbrev", "-z", "HEAD"],
        in: layout.worktree,
        timeout: WatchLimits.diffTimeout
      )
      for record in staged.output.split(separator: 0) where record.first == UInt8(ascii: ":") {
        let fields = record.split(separator: 0x20)
        guard fields.count > 3, fields[1].elementsEqual("160000".utf8) == false else { continue }
        blobs.formUnion(names(in: Array(fields[3])))
      }
    }
    // mode object stage, tab, path
    let listed = try await runner.run(
      ["ls-files", "--stage", "-z"] + (head == nil ? [] : ["--unmerged"]),
      in: layout.worktree,
      timeout: WatchLimits.diffTimeout
    )
    for record in listed.output.split(separator: 0) where !record.starts(with: "160000 ".utf8) {
      let fields = record.split(separator: 0x20)
      guard fields.count > 1 else { continue }
      blobs.formUnion(names(in: Array(fields[1])))
    }
    let there = try await Self.kinds(of: blobs, layout.commonDirectory, runner)
      .filter { $0.value == "blob" }.keys.sorted()
    guard !there.isEmpty || !trees.isEmpty else { return nil }
    var text = ""
    for object in there { text += "100644 blob \(object)\tblob-\(object)\n" }
    for object in trees { text += "040000 tree \(object)\ttree-\(object)\n" }
    let made = try await runner.run(
      ["mktree"],
      in: layout.commonDirectory,
      reads: false,
      timeout: WatchLimits.diffTimeout,
      input: Array(text.utf8)
    )
    return made.text
  }
}
