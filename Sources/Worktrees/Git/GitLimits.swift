/// The bounds of what is read from git, in one place.
public enum GitLimits: Sendable {
  /// The most bytes of one record of a list, such as a path of `git status`.
  public static let recordBytes = 64 << 10
  /// The most conflicting paths that are named; more are counted.
  public static let conflictNames = 100
  /// The most worktrees of one repository.
  public static let worktrees = 1_000
  /// The most folders of one worktree that are watched; beyond them it is polled.
  public static let watchedFolders = 4_096
  /// The most submodules of one worktree, those within others included; beyond them it is polled.
  public static let submodules = 256
  /// The most values of one configuration; a repository with more is not read.
  public static let settings = 20_000
  /// The most filters and merge drivers of one repository; a repository with more is not read.
  public static let drivers = 256
}
