import Git
import Workspaces

extension WorktreeActions {
  /// Whether a new branch can be made.
  ///
  /// - Parameters:
  ///   - branch: Its name, which no branch has.
  ///   - start: The commit it starts from.
  ///   - place: The repository.
  ///   - source: The requested start.
  /// - Throws: ``ActionRefusal`` if the commit does not exist, or a branch is in the way, because branches are stored
  ///   like files: `a` and `a/b` exclude each other.
  func requireRoom(
    for branch: String,
    from start: String,
    in place: RepositoryScan,
    _ source: String?
  ) async throws {
    let commit = try await runner.run(
      ["rev-parse", "--verify", "--quiet", start + "^{commit}"],
      in: place.commonDirectory,
      accepted: 0...128
    )
    guard commit.code == 0 else {
      throw ActionRefusal(
        .invalidParameter,
        source.map { "source \($0.prefix(80)) is not a commit" }
          ?? "\(place.commonDirectory) has no commit yet to start from"
      )
    }
    let first = branch.prefix { $0 != "/" }
    let names = try await runner.run(
      ["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/\(first)"],
      in: place.commonDirectory
    )
    let other = names.text.split(separator: "\n").first {
      $0.beginsWithName(branch + "/") || branch.beginsWithName($0 + "/")
    }
    if let other {
      throw ActionRefusal(
        .alreadyExists,
        "\(branch.prefix(80)) cannot be made beside the branch \(other.prefix(80))"
      )
    }
  }
}
