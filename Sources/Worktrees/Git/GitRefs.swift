package import Workspaces

/// Refs of a repository as `git for-each-ref` with ``format`` lists them.
public struct GitRefs: Hashable, Sendable {
  /// The value of `--format`.
  public static let format = "%(refname)%00%(objectname)%00%(symref)"
  /// The refs among which a source branch is searched; branches that are checked out come beside them.
  public static let candidates = ["main", "master", "trunk", "develop"]

  /// The object of each ref, by its full name.
  package var objects: NameTable<String>
  /// Where symbolic refs lead, by their full names.
  package var targets: NameTable<String>

  /// Creates refs.
  package init(objects: NameTable<String> = [:], targets: NameTable<String> = [:]) {
    self.objects = objects
    self.targets = targets
  }

  /// Reads a list: a line for each ref.
  ///
  /// - Throws: ``GitOutputError`` if a line has not three fields.
  public init(_ bytes: some Collection<UInt8>) throws(GitOutputError) {
    self.init()
    for (index, line) in Array(bytes).split(separator: 0x0A).enumerated() {
      let fields = line.split(separator: 0, omittingEmptySubsequences: false)
      guard fields.count == 3, !fields[0].isEmpty else {
        throw GitOutputError("git for-each-ref", record: index + 1, "three fields are expected")
      }
      objects[fields[0].text] = fields[1].text
      if !fields[2].isEmpty { targets[fields[0].text] = fields[2].text }
    }
  }

  /// A branch others are compared with.
  public struct Source: Hashable, Sendable {
    /// Its short name, such as `main`.
    public var branch: String
    /// The full name of the ref that is compared, such as `refs/remotes/origin/main`.
    public var ref: String
    /// The commit it is at.
    public var object: String

    /// The ref as people write it, such as `origin/main`.
    public var shortRef: String {
      ref.name(after: "refs/heads/") ?? ref.name(after: "refs/remotes/") ?? ref
    }
  }

  /// The branch that the worktrees of a repository are compared with.
  ///
  /// It is what the remote calls its default branch, else the first of ``candidates`` that exists, else
  /// the main worktree's branch. The remote's copy of it comes before the local one.
  ///
  /// - Parameter mainBranch: The full name of the branch that the main worktree has checked out.
  /// - Returns: The branch; `nil` if none of them exists.
  public func source(mainBranch: String?) -> Source? {
    let origin = "refs/remotes/origin/"
    let heads = "refs/heads/"
    if let target = targets[origin + "HEAD"], let branch = target.name(after: origin),
      let object = objects[target]
    {
      return Source(branch: branch, ref: target, object: object)
    }
    var names = Self.candidates
    if let name = mainBranch?.name(after: heads) { names.append(name) }
    for name in names {
      for ref in [origin + name, heads + name] {
        if let object = objects[ref] { return Source(branch: name, ref: ref, object: object) }
      }
    }
    return nil
  }
}
