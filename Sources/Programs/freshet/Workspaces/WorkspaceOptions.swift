import AgentWatch
import ArgumentParser
import Commands
import ConditionalHTTP
import Foundation
import ServeSettings
import Serving
import WorkspacesServer
import WorktreeWatch

/// The options of `freshet serve` for workspaces.
struct WorkspaceOptions: ParsableArguments {
  @Option(
    name: .customLong("workspaces"),
    help: ArgumentHelp(
      "A folder with git repositories; their worktrees and the agents in them are served under /v1. Repeat it for more folders.",
      valueName: "folder"
    )
  )
  var folders: [String] = []

  @Option(
    name: .customLong("workspaces-hub"),
    help: ArgumentHelp(
      "A file with the machines whose worktrees are served under /v1 too, and the hashes of their tokens, as freshet workspaces token writes it. Each machine sends its own with freshet workspaces report.",
      valueName: "file"
    )
  )
  var hub: String?

  @Option(
    help: ArgumentHelp(
      "A file with the token that clients of /v1 send; FRESHET_TOKEN in the environment does the same. Needed unless only this machine can connect.",
      valueName: "file"
    )
  )
  var tokenFile: String?

  @Option(
    help: ArgumentHelp(
      "A name by which clients of /v1 may call this server, besides localhost. Repeat it for more names.",
      valueName: "name"
    )
  )
  var allowHost: [String] = []

  @Option(
    help: ArgumentHelp(
      "A Unix socket to listen on instead of a port; only its owner can connect.",
      valueName: "path"
    )
  )
  var socket: String?

  @Option(
    help: ArgumentHelp(
      "The folder of Claude Code, with projects in it. Default: CLAUDE_CONFIG_DIR, else ~/.claude.",
      valueName: "folder"
    )
  )
  var claudeHome: String?

  @Option(
    help: ArgumentHelp(
      "The folder of Codex, with sessions in it. Default: CODEX_HOME, else ~/.codex.",
      valueName: "folder"
    )
  )
  var codexHome: String?

  @Option(
    help: ArgumentHelp(
      "The folder of logs in the neutral format. Default: FRESHET_AGENT_LOGS, else ~/.local/state/freshet/agents.",
      valueName: "folder"
    )
  )
  var agentLogs: String?

  func validate() throws {
    guard folders.count <= WatchLimits.roots else {
      throw ValidationError("--workspaces: at most \(WatchLimits.roots) folders")
    }
    for folder in folders where HostFile.kind(folder) != .folder {
      throw ValidationError("--workspaces \"\(folder)\" is not a folder")
    }
    if let socket, socket.utf8.count > 100 {
      throw ValidationError("--socket \"\(socket)\" is too long; the most is 100 bytes")
    }
  }

  /// Returns these options, completed from a settings file.
  func completed(by settings: ServeSettings?) -> WorkspaceOptions {
    var options = self
    if allowHost.isEmpty { options.allowHost = settings?.allowedHosts ?? [] }
    options.hub = hub ?? settings?.workspacesHub
    return options
  }

  /// Creates the worktree part of the server, if folders or machines are given.
  ///
  /// - Parameters:
  ///   - host: The address that the server listens on.
  ///   - version: The program's version.
  ///   - data: The folder of the read receipts.
  /// - Returns: The service and its access rules; `nil` without folders and machines.
  /// - Throws: `ValidationError` if others could connect without a token; ``CommandFailure`` if the token or the file of
  ///   machines cannot be read or used.
  func part(host: String, version: String, data: String) throws -> WorkspacePart? {
    guard !folders.isEmpty || hub != nil else { return nil }
    if !folders.isEmpty, let problem = GitRunner.temporaryFolderProblem {
      throw ValidationError(problem)
    }
    let token = try token()
    let isLocal = socket != nil || HTTPAddress.isLoopback(host)
    if !isLocal, token == nil {
      let option = folders.isEmpty ? "--workspaces-hub" : "--workspaces"
      throw ValidationError(
        "\(option) on \(host) needs a token, as others can connect: --token-file, or FRESHET_TOKEN"
      )
    }
    let access = WorkspaceAccess(token: token, hosts: hosts(host))
    var places = AgentFolders(environment: ProcessInfo.processInfo.environment)
    places.claude = claudeHome ?? places.claude
    places.codex = codexHome ?? places.codex
    places.neutral = agentLogs ?? places.neutral
    let receipts = ReadReceipts(path: "\(data)/seen-worktrees.json")
    let store = WorkspaceStore()
    let watcher = WorktreeWatcher(
      WatchSettings(roots: folders),
      store: store,
      // Without folders there are no worktrees here in which agents could work.
      agents: folders.isEmpty
        ? nil : AgentWatch(places, seenAt: receipts.read()) { receipts.write($0) },
      trust: TrustedRepositories(path: "\(data)/trusted-repositories.json")
    )
    return WorkspacePart(
      service: WorkspacesService(watcher: watcher, version: version, hub: try hub(in: store)),
      access: access,
      folders: folders
    )
  }

  /// Creates the hub, if a file of machines is given.
  private func hub(in store: WorkspaceStore) throws -> WorkspaceHub? {
    guard let hub else { return nil }
    do {
      return try WorkspaceHub(machines: hub, store: store, isAlone: folders.isEmpty)
    } catch {
      throw CommandFailure(
        "freshet serve: --workspaces-hub \"\(hub)\": \(error)",
        HostFile.kind(hub) == .file ? .badData : .noInput
      )
    }
  }

  /// Which requests of browsers the jobs' part of the server answers.
  ///
  /// - Parameter host: The address that is listened on.
  /// - Returns: The rules.
  /// - Throws: `ValidationError` if the server listens on every address of the machine without known host names: jobs
  ///   are started without a token, so DNS rebinding would open them to any page.
  func jobsGuard(host: String) throws -> OriginGuard {
    guard socket == nil else { return OriginGuard(hosts: nil) }
    guard !Self.isEveryAddress(host) || !allowHost.isEmpty else {
      throw ValidationError(
        "--jobs on \(host) needs --allow-host NAME, the name or the address by which others call this server"
      )
    }
    return OriginGuard(hosts: Set(allowHost + [host]))
  }

  private func hosts(_ host: String) -> Set<String>? {
    // Where a name cannot lead a page here without the token, any name will do.
    let isAny = socket != nil || Self.isEveryAddress(host)
    return isAny ? nil : Set(allowHost + [host])
  }

  /// Says what is served.
  func announce() {
    for folder in folders {
      Terminal.announce("  workspaces of \(folder) under /v1/git/worktrees\n")
    }
    if let hub {
      Terminal.announce("  workspaces of the machines in \(hub) under /v1/git/worktrees\n")
    }
  }

  /// The token that clients need, if one is given.
  ///
  /// - Throws: `CommandFailure` or `ValidationError` if it cannot be used.
  func token() throws -> String? {
    let text: String?
    if let tokenFile {
      text = try TokenFile.read(tokenFile, for: "freshet serve: --token-file")
    } else {
      text = ProcessInfo.processInfo.environment["FRESHET_TOKEN"]
    }
    guard let token = text?.trimmingCharacters(in: .whitespacesAndNewlines), !token.isEmpty else {
      if let tokenFile {
        throw CommandFailure(
          "freshet serve: --token-file \"\(tokenFile)\" holds no token",
          .badData
        )
      }
      return nil
    }
    guard token.utf8.count >= WorkspaceLimits.tokenBytes,
      token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      let reason =
        "the token is to be at least \(WorkspaceLimits.tokenBytes) printable characters without spaces"
      guard let tokenFile else { throw ValidationError("FRESHET_TOKEN: \(reason)") }
      throw CommandFailure("freshet serve: \(tokenFile): \(reason)", .badData)
    }
    return token
  }

  private static func isEveryAddress(_ host: String) -> Bool { ["0.0.0.0", "::"].contains(host) }
}

/// The workspaces' part of a server.
struct WorkspacePart: Sendable {
  /// Its endpoints.
  let service: WorkspacesService
  /// Which clients may talk to it.
  let access: WorkspaceAccess
  /// The folders that are searched.
  let folders: [String]
}
