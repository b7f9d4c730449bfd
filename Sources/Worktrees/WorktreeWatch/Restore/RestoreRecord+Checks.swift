import ConditionalHTTP
import Foundation
import Git
import Workspaces

extension RestoreRecord {
  /// Why the file of a point is not used.
  struct Unusable: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason in words.
    var description: String

    init(_ description: String) { self.description = description }
  }

  /// Reads the file of a point, which is not trusted.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - id: The name of the folder it lies in.
  /// - Throws: ``Unusable`` if anything in it is not as this program writes it.
  init(checking bytes: [UInt8], id: String) throws(Unusable) {
    do {
      self = try JSONDecoder().decode(RestoreRecord.self, from: Data(bytes))
    } catch {
      throw Unusable("the record is not one of this program")
    }
    try checkPoint(id)
    try checkTimes()
    if point.kind == .delete {
      guard let gitName, OpenFolder.isName(gitName) else {
        throw Unusable("the name of the git directory is not a name")
      }
    } else {
      guard gitName == nil, branch == nil else {
        throw Unusable("a \(point.kind.rawValue) has no folder")
      }
    }
    try checkBranch()
  }

  private static let kinds: [RestorePoint.Kind] = [.delete, .merge, .sync, .restore]

  private func checkPoint(_ id: String) throws(Unusable) {
    guard RestoreFolder.isId(id), point.id.isSameName(as: id) else {
      throw Unusable("the id is another one than the folder's")
    }
    guard Self.kinds.contains(point.kind) else { throw Unusable("the kind is not known") }
    for text in [point.name, point.repoId, point.branch ?? "-"] where !Self.isText(text) {
      throw Unusable("a name is not text, or too long")
    }
    guard Self.isPath(point.path) else { throw Unusable("the path is not an absolute path") }
    guard common.map(Self.isPath) ?? true else {
      throw Unusable("the path of the repository is not an absolute path")
    }
    guard point.worktreeId.isSameName(as: WorkspaceIdentity.id(of: point.path)) else {
      throw Unusable("the id of the worktree is not that of its path")
    }
    guard [point.head, point.result].allSatisfy({ $0.map(Self.isObject) ?? true }) else {
      throw Unusable("a commit is not the name of an object")
    }
    if let ref = point.ref {
      guard let name = ref.name(after: RestoreFolder.refs(id)), OpenFolder.isName(name),
        name.utf8.allSatisfy({ Self.isDigit($0) || (0x61...0x7A).contains($0) })
      else { throw Unusable("the ref is not one of this point") }
    }
    guard point.keptCommits >= 0 else { throw Unusable("the number of commits is negative") }
  }

  private func checkTimes() throws(Unusable) {
    guard InstantText.read(point.createdAt) != nil, InstantText.read(point.keptUntil) != nil else {
      throw Unusable("an instant is not one")
    }
    guard age.isFinite, age >= 0, countedAt.isFinite, abs(countedAt) < 1e12 else {
      throw Unusable("the age is not one")
    }
  }

  private func checkBranch() throws(Unusable) {
    guard let branch else { return }
    guard Self.isRef(branch.ref), !branch.ref.beginsWithName("refs/freshet/") else {
      throw Unusable("the branch is not a ref")
    }
    let name = branch.ref.name(after: "refs/heads/")
    if let name, let shown = point.branch, !shown.isSameName(as: name) {
      throw Unusable("the branch is another one than the point's")
    }
    guard branch.object.map(Self.isObject) ?? true else {
      throw Unusable("the commit of the branch is not the name of an object")
    }
    guard branch.settings.count <= WatchLimits.branchSettings else {
      throw Unusable("the branch has too many settings")
    }
    for setting in branch.settings {
      guard let name, BranchSetting.variable(setting.key, of: name) != nil,
        setting.value.map({ $0.utf8.count <= WatchLimits.settingBytes && !$0.utf8.contains(0) })
          ?? true
      else { throw Unusable("a setting is not one of the branch") }
    }
  }

  // MARK: Parts

  private static func isText(_ text: String) -> Bool {
    (1...WatchLimits.recordTextBytes).contains(text.utf8.count) && !text.utf8.contains(0)
  }

  /// Whether a text is an absolute path with nothing in it that leads elsewhere.
  static func isPath(_ text: String) -> Bool {
    guard isText(text), text.utf8.first == UInt8(ascii: "/"), text.utf8.count > 1 else {
      return false
    }
    return text.utf8.dropFirst().split(
      separator: UInt8(ascii: "/"),
      omittingEmptySubsequences: false
    )
    .allSatisfy { OpenFolder.isName(String(decoding: $0, as: UTF8.self)) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isObject(_ text: String) -> Bool {
    [40, 64].contains(text.utf8.count)
      && text.utf8.allSatisfy { isDigit($0) || (0x61...0x66).contains($0) }
  }

  /// Whether a text is the full name of a ref (git-check-ref-format(1)).
  static func isRef(_ text: String) -> Bool {
    guard isText(text), text.beginsWithName("refs/") else { return false }
    let forbidden = Set(" ~^:?*[\\".utf8)
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !forbidden.contains($0) }) else {
      return false
    }
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    return parts.count > 2 && !text.contains("..") && !text.contains("@{")
      && parts.allSatisfy {
        OpenFolder.isName($0) && $0.utf8.first != UInt8(ascii: ".")
          && $0.utf8.last != UInt8(ascii: ".") && !$0.utf8.reversed().starts(with: "kcol.".utf8)
      }
  }
}

/// The settings of a branch that are brought back: those that run nothing and lead nowhere.
enum BranchSetting {
  /// The settings of a branch among the entries of a configuration, up to the limits of a record.
  ///
  /// - Parameters:
  ///   - entries: Keys with their values, as `git config --list -z` separates them.
  ///   - branch: The branch without `refs/heads/`.
  /// - Returns: The settings, in their order.
  static func all(_ entries: [[UInt8]], of branch: String) -> [RestoreRecord.Setting] {
    let settings = entries.compactMap { entry -> RestoreRecord.Setting? in
      let end = entry.firstIndex(of: 0x0A)
      let key = String(decoding: entry[..<(end ?? entry.endIndex)], as: UTF8.self)
      let value = end.map { String(decoding: entry[($0 + 1)...], as: UTF8.self) }
      guard variable(key, of: branch) != nil,
        value.map({ $0.utf8.count <= WatchLimits.settingBytes }) ?? true
      else { return nil }
      return RestoreRecord.Setting(key: key, value: value)
    }
    return Array(settings.prefix(WatchLimits.branchSettings))
  }

  /// The variable of a key, if the key is one of a branch: `branch.NAME.VARIABLE`.
  ///
  /// - Parameters:
  ///   - key: The whole key, section and variable in small letters.
  ///   - branch: The branch without `refs/heads/`.
  /// - Returns: The variable; `nil` for another key.
  static func variable(_ key: String, of branch: String) -> String? {
    guard let variable = key.name(after: "branch.\(branch)."), !variable.isEmpty,
      variable.utf8.allSatisfy({
        (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0)
          || $0 == UInt8(ascii: "-")
      })
    else { return nil }
    return variable
  }

  /// Options of a merge that decide nothing but what commit it makes.
  private static let options: Set<String> = [
    "--commit", "--edit", "--ff", "--ff-only", "--log", "--no-commit", "--no-edit", "--no-ff",
    "--no-log", "--no-signoff", "--no-squash", "--no-stat", "--signoff", "--squash", "--stat",
  ]

  /// Whether a setting of a branch does not run anything, and names no other place.
  ///
  /// - Parameters:
  ///   - variable: The variable, in any letters.
  ///   - value: The value; `nil` for a variable without one.
  /// - Returns: Whether it may be set again.
  static func isHarmless(_ variable: String, _ value: String?) -> Bool {
    let value = value ?? "true"
    guard ProgramKey.use(Array("branch.x.\(variable.lowercased())".utf8), Array(value.utf8)) == nil
    else { return false }
    switch variable.lowercased() {
    case "remote", "pushremote":
      // The name of a remote; git takes an address and a path as well.
      return value == "."
        || !value.isEmpty && !value.utf8.contains(UInt8(ascii: ":"))
          && !["-", "/", "~", "."].contains { value.hasPrefix($0) }
    case "merge":
      return RestoreRecord.isRef(value)
    case "mergeoptions":
      return value.split(separator: " ").allSatisfy { options.contains(String($0)) }
    default:
      return true
    }
  }
}
