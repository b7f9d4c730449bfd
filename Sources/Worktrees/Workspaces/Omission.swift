/// Something in the watched folders that is not shown, or not kept fresh by events, and why (`GET /v1/git/omissions`).
public struct Omission: Codable, Hashable, Sendable {
  /// Why; an open set.
  public struct Reason: RawRepresentable, Codable, Hashable, Sendable {
    /// The word in the answer.
    public var rawValue: String

    /// Creates a reason from its word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A given folder does not exist.
    public static let missingFolder = Reason(rawValue: "missing_folder")
    /// The folder may not be read.
    public static let unreadable = Reason(rawValue: "unreadable")
    /// A repository in a folder whose name begins with a dot.
    public static let hidden = Reason(rawValue: "hidden")
    /// Folders lie deeper than is searched.
    public static let tooDeep = Reason(rawValue: "too_deep")
    /// More folders, repositories or worktrees than are taken.
    public static let tooMany = Reason(rawValue: "too_many")
    /// Git refuses to read a repository of another user.
    public static let foreignOwner = Reason(rawValue: "foreign_owner")
    /// The first scan of the repository has not finished.
    public static let pending = Reason(rawValue: "pending")
    /// Git cannot read the repository.
    public static let gitFailed = Reason(rawValue: "git_failed")
    /// Git lists the worktree, but its folder does not exist.
    public static let missingWorktree = Reason(rawValue: "missing_worktree")
    /// Git does not name the worktree's folder, as after `git init --separate-git-dir`.
    public static let separateDirectory = Reason(rawValue: "separate_git_dir")
    /// The path is not UTF-8.
    public static let notText = Reason(rawValue: "not_utf8")
    /// A restore point whose record is not one of this program, or whose folders do not belong to it; nothing is done with
    /// it.
    public static let restorePoint = Reason(rawValue: "unusable_restore_point")
    /// It is shown, and scanned every few seconds because not all of it can be watched.
    public static let polled = Reason(rawValue: "polled")
  }

  /// Why.
  public var reason: Reason
  /// The absolute path it is about.
  public var path: String
  /// The same in words.
  public var detail: String

  /// Creates an omission.
  public init(_ reason: Reason, _ path: String, _ detail: String) {
    self.reason = reason
    self.path = path
    self.detail = detail
  }
}
