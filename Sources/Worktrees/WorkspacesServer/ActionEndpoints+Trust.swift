import HTTPTypes
import Hummingbird
import Serving
import Workspaces
import WorktreeWatch

extension ActionEndpoints {
  private struct Trusting: Decodable {
    var digest: String
  }

  /// `POST /v1/git/worktrees/{id}/trust`: trusts the programs that the client has seen.
  func trust(_ id: String, _ request: Request) async throws -> Response {
    let asked = try await RequestBodies.decode(Trusting.self, request)
    let workspace = try await workspace(id)
    return try await Self.keeping {
      let now = try await actions.trust(workspace, asked.digest)
      return Self.done(
        "the configuration of \(now.repoId) is trusted as it is",
        now.id,
        reads,
        restore: nil
      )
    }
  }

  /// `DELETE /v1/git/worktrees/{id}/trust`: trusts nothing of the repository any more.
  func distrust(_ id: String) async throws -> Response {
    let workspace = try await workspace(id)
    return try await Self.keeping {
      let now = try await actions.distrust(workspace)
      return Self.done(
        "no configuration of \(now.repoId) is trusted",
        now.id,
        reads,
        restore: nil
      )
    }
  }

  private static func keeping(_ body: () async throws -> Response) async throws -> Response {
    do {
      return try await refusing(body)
    } catch let failure as TrustedRepositories.Failure {
      throw Problem(
        .notKept,
        detail: failure.description
      )
    }
  }
}
