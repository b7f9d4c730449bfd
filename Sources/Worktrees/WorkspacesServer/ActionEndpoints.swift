import ConditionalHTTP
import Foundation
import HTTPTypes
import Hummingbird
import Serving
import Workspaces
import WorktreeWatch

/// Answers what changes something: create, delete, merge, sync, seen.
///
/// An answer comes when it is done.
struct ActionEndpoints: Sendable {
  let watcher: WorktreeWatcher
  let reads: ReadEndpoints
  /// Shows the worktrees of other machines too; `nil` for none.
  let hub: WorkspaceHub?

  var actions: WorktreeActions { WorktreeActions(watcher: watcher) }

  private struct Creation: Decodable {
    var repository: String?
    var repoId: String?
    var branch: String?
    var name: String?
    var source: String?

    enum CodingKeys: String, CodingKey {
      case repository, branch, name, source
      case repoId = "repo_id"
    }
  }

  private struct Synchronisation: Decodable {
    var strategy: String?
    var fetch: Bool?
    var rewritesPushed: Bool?
    var processes: [Int32]?

    enum CodingKeys: String, CodingKey {
      case strategy, fetch, processes
      case rewritesPushed = "rewrite_pushed"
    }
  }

  private struct Merging: Decodable {
    var squash: Bool?
    var cleansUp: Bool?
    var processes: [Int32]?

    enum CodingKeys: String, CodingKey {
      case squash, processes
      case cleansUp = "auto_cleanup"
    }
  }

  /// `POST /v1/git/worktrees`.
  func create(_ request: Request) async throws -> Response {
    let asked = try await RequestBodies.decode(Creation.self, request)
    guard let repository = asked.repository ?? asked.repoId else {
      throw Problem(
        .invalidBody,
        detail: "$.repository is missing: the id or the path of a repository"
      )
    }
    return try await create(
      repository,
      branch: asked.branch,
      name: asked.name,
      source: asked.source
    )
  }

  /// `POST /v1/git/checkout/{owner}/{repository}`, as in the seed system: `branch` is the one to start from.
  ///
  /// In a dialect, a checkout that names neither folder nor branch repeats an earlier one whose worktree is still
  /// unused, and creates no other.
  func checkout(_ owner: String, _ name: String, _ request: Request) async throws -> Response {
    let query = QueryItems(request)
    let asked = try await RequestBodies.decode(Creation.self, request)
    let stamp = String(UInt32.random(in: .min ... .max), radix: 36)
    let isNamed = asked.name != nil || asked.branch != nil
    return try await create(
      "\(owner)/\(name)",
      branch: asked.branch,
      name: asked.name ?? "\(name)-\(stamp)",
      source: query["branch"] ?? asked.source,
      repeating: isNamed
        ? nil : reads.dialect.map { .init(prefix: "\(name)-", within: $0.checkoutRepeats) },
      status: reads.dialect?.checkoutStatus ?? .created
    )
  }

  private func create(
    _ repository: String,
    branch: String?,
    name: String?,
    source: String?,
    repeating: WorktreeActions.Repetition? = nil,
    status: HTTPResponse.Status = .created
  ) async throws -> Response {
    await reads.firstScan()
    try await requireHere(repository)
    return try await Self.refusing {
      let made = try await actions.create(
        repository: repository,
        branch: branch,
        name: name,
        source: source,
        repeating: repeating
      )
      guard let record = watcher.store.record(made.id) else {
        throw WorkspaceReader.missing(made.id)
      }
      var out = WorkspaceBytes(reads.dialect)
      out.created(record, "\(made.path) is there with \(made.branch)")
      var response = ReadEndpoints.json(out.bytes, status: status)
      response.headers[.location] = "/v1/git/worktrees/\(made.id)"
      return response
    }
  }

  /// `DELETE /v1/git/worktrees/{id}`.
  func delete(_ id: String, _ request: Request) async throws -> Response {
    let query = QueryItems(request)
    let isForced = try query.flag("force") ?? false
    let removesBranch = try query.flag("delete_branch") ?? false
    let losesIgnored = try query.flag("ignored") ?? false
    let processes = try Self.processes(query)
    let workspace = try await workspace(id)
    return try await Self.refusing {
      let point = try await actions.delete(
        workspace,
        isForced: isForced,
        removesBranch: removesBranch,
        losesIgnored: losesIgnored,
        processes: processes
      )
      var out = WorkspaceBytes(reads.dialect)
      out.deleted(
        workspace.id,
        point,
        "\(workspace.path) is gone; it can be restored until \(point.keptUntil)"
      )
      return ReadEndpoints.json(out.bytes)
    }
  }

  /// The numbers of processes to ignore: `processes=12,34`.
  private static func processes(_ query: QueryItems) throws(Problem) -> Set<Int32> {
    guard let text = query["processes"] else { return [] }
    var numbers: Set<Int32> = []
    for part in text.split(separator: ",") {
      guard let number = Int32(part), number > 0 else {
        throw QueryItems.invalid("processes", text, "numbers of processes with commas between them")
      }
      numbers.insert(number)
    }
    return numbers
  }

  /// `GET /v1/git/worktrees/{id}/merge/check` and `/sync/check`.
  func check(_ id: String, _ operation: String) async throws -> Response {
    let workspace = try await workspace(id)
    return try await Self.refusing {
      let report =
        operation == "merge"
        ? try await actions.checkMerge(workspace) : try await actions.checkSync(workspace)
      return ReadEndpoints.json(WorkspaceJSON.bytes(report))
    }
  }

  /// `POST /v1/git/worktrees/{id}/merge`.
  func merge(_ id: String, _ request: Request) async throws -> Response {
    let asked = try await RequestBodies.decode(Merging.self, request)
    let query = QueryItems(request)
    let squashes = try query.flag("squash") ?? asked.squash ?? false
    let cleansUp = try query.flag("auto_cleanup") ?? asked.cleansUp ?? false
    let workspace = try await workspace(id)
    return try await Self.refusing {
      try await actions.requireTrusted(workspace.path, "to merge")
      let merged = try await actions.merge(
        workspace,
        squashes: squashes,
        cleansUp: cleansUp,
        processes: Set(asked.processes ?? [])
      )
      var message = "\(workspace.branch) is merged into \(merged.target.branch)"
      if let refusal = merged.refusal {
        message += "; \(workspace.path) stays: \(refusal)"
      } else if cleansUp {
        message += "; \(workspace.path) is gone"
      }
      return Self.done(
        message,
        merged.target.id,
        reads,
        restore: merged.undo,
        removed: merged.removed
      )
    }
  }

  /// `POST /v1/git/worktrees/{id}/sync`.
  func sync(_ id: String, _ request: Request) async throws -> Response {
    let asked = try await RequestBodies.decode(Synchronisation.self, request)
    let text = asked.strategy ?? "rebase"
    guard let strategy = WorktreeActions.Strategy(rawValue: text) else {
      throw QueryItems.invalid("strategy", text, "rebase or merge")
    }
    let workspace = try await workspace(id)
    return try await Self.refusing {
      try await actions.requireTrusted(workspace.path, "to sync")
      let synced = try await actions.sync(
        workspace,
        strategy,
        fetches: asked.fetch ?? false,
        rewritesPushed: asked.rewritesPushed ?? false,
        processes: Set(asked.processes ?? [])
      )
      let now = synced.worktree
      return Self.done(
        "\(now.branch) has what \(now.git.compared ?? now.sourceBranch) has",
        now.id,
        reads,
        restore: synced.undo
      )
    }
  }

  /// `POST /v1/git/worktrees/{id}/refresh`: scans now.
  func refresh(_ id: String) async throws -> Response {
    let workspace = try await workspace(id)
    await watcher.refresh(workspace.path)
    guard let record = watcher.store.record(id) else { throw WorkspaceReader.missing(id) }
    var out = WorkspaceBytes(reads.dialect)
    out.workspace(record)
    return ReadEndpoints.json(out.bytes)
  }

  /// `POST /v1/git/worktrees/{id}/seen`: marks what its agents did as seen.
  func seen(_ id: String) async throws -> Response {
    let workspace = try await workspace(id)
    await watcher.markSeen(workspace.path)
    return Response(withoutContent: .noContent, ReadEndpoints.fields)
  }

  /// `GET /v1/git/branches/{repository}`.
  func branches(_ name: String) async throws -> Response {
    await reads.firstScan()
    let name = name.removingPercentEncoding ?? name
    try await requireHere(name)
    return try await Self.refusing {
      guard let names = try await watcher.branches(of: name) else {
        throw Problem(
          .repositoryNotFound,
          detail: "there is no repository \(name.prefix(80))"
        )
      }
      return ReadEndpoints.json(WorkspaceJSON.bytes(names))
    }
  }

  func workspace(_ id: String) async throws(Problem) -> Workspace {
    await reads.firstScan()
    guard let record = watcher.store.record(id) else { throw WorkspaceReader.missing(id) }
    try WorkspaceReader.requireHere(record.workspace)
    return record.workspace
  }

  /// Refuses what is asked of a repository that only other machines have.
  ///
  /// - Parameter repository: Its id or its path.
  /// - Throws: ``Problem`` 409 `other_machine`.
  private func requireHere(_ repository: String) async throws(Problem) {
    // What this server has counts, whatever other machines call theirs; a bare repository may have no worktree.
    guard let hub, await !watcher.hasRepository(named: repository) else { return }
    let machines = Set(
      watcher.store.registry.all.map(\.workspace)
        .filter { $0.repoId.isSameName(as: repository) || $0.path.isSameName(as: repository) }
        .compactMap(\.machine?.name)
    )
    .sorted()
    guard hub.isAlone || !machines.isEmpty else { return }
    let place =
      machines.isEmpty
      ? "this server watches no folder; do it on the machine that has the repository"
      : "\(repository.prefix(80)) is on \(machines.joined(separator: ", ")); do it on that machine"
    throw Problem(
      .otherMachine,
      detail: place,
      extensions: machines.count == 1 ? ["machine": .string(machines[0])] : [:]
    )
  }

  /// Returns the response to a completed action: the worktree, and what undoes the action.
  static func done(
    _ message: String,
    _ id: String,
    _ reads: ReadEndpoints,
    restore: RestorePoint?,
    removed: RestorePoint? = nil
  ) -> Response {
    var out = WorkspaceBytes(reads.dialect)
    out.done(message, reads.watcher.store.record(id), restore: restore, removed: removed)
    return ReadEndpoints.json(out.bytes)
  }

  /// Turns refusals and failures into answers.
  static func refusing(_ body: () async throws -> Response) async throws -> Response {
    do {
      return try await ReadEndpoints.failing(body)
    } catch let conflict as ActionConflict {
      return ReadEndpoints.json(WorkspaceJSON.bytes(conflict.report), status: .conflict)
    } catch let refusal as ActionRefusal {
      throw Problem(
        refusal.problem,
        detail: refusal.detail,
        extensions: extensions(refusal)
      )
    }
  }

  /// What a refusal names beside its code.
  static func extensions(_ refusal: ActionRefusal) -> [String: ProblemDetails.Value] {
    var members: [String: ProblemDetails.Value] = [:]
    if !refusal.files.isEmpty { members["files"] = .array(refusal.files.map { .string($0) }) }
    if !refusal.processes.isEmpty {
      members["processes"] = .array(
        refusal.processes.map { process in
          var value: [String: ProblemDetails.Value] = [
            "pid": .integer(Int(process.number)), "name": .string(process.name),
          ]
          switch process.use {
          case .file(let path), .mapping(let path): value["file"] = .string(path)
          default: break
          }
          return .object(value)
        }
      )
    }
    return members
  }
}
