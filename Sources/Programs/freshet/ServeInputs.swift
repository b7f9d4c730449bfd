import ArgumentParser
import Commands
import ConditionalHTTP
import Foundation
import PostgresClient
import ServeSettings
import Serving
import StationboardServer

/// What `freshet serve` reads of its options and its configuration file before it makes anything.
///
/// The server and `freshet doctor` read it here, so that both refuse the same. Members throw `ValidationError` or
/// `CommandFailure` with what cannot be used.
struct ServeInputs {
  /// The options.
  let command: ServeCommand
  /// The configuration file; an option wins over it.
  let file: ConfigurationFile?

  private var settings: ServeSettings? { file?.settings }

  /// The address to listen on.
  var host: String { command.host ?? settings?.host ?? "127.0.0.1" }

  /// The port; 0 for a free one.
  var port: Int { command.port ?? settings?.port ?? 8_080 }

  /// The folder of the timetables.
  var folder: DataFolder { command.data.folder(or: settings?.data) }

  /// Whether the folder is missing and has to be made: one that cannot be made would never have a timetable.
  ///
  /// A server of worktrees or jobs serves on without a folder that was not named.
  var needsFolder: Bool {
    guard !FileManager.default.fileExists(atPath: folder.path) else { return false }
    let environment = ProcessInfo.processInfo.environment["FRESHET_DATA"] ?? ""
    return command.data.data != nil || settings?.data != nil || !environment.isEmpty
      || workspaces.folders.isEmpty && workspaces.hub == nil
        && jobFolder == nil
  }

  /// The folder of the jobs, if one is named.
  private var jobFolder: String? { command.jobs.jobs ?? settings?.jobs?.folder }

  /// The owner of the imported books, if one is named.
  private var libraryOwner: String? { command.jobs.libraryOwner ?? settings?.jobs?.libraryOwner }

  /// The options for worktrees, completed from the file.
  var workspaces: WorkspaceOptions { command.workspaces.completed(by: settings) }

  /// The certificate, if one is named.
  func certificate() throws -> ServerCertificate? {
    try command.tls.certificate(or: settings, socket: workspaces.socket)
  }

  /// The options for jobs, completed from the file.
  func jobs() throws -> JobsOptions { try command.jobs.completed(by: settings) }

  /// The default limits, as changed by the file.
  func limits() throws -> ServerLimits {
    var limits = ServerLimits()
    guard let settings else { return limits }
    for (name, value) in settings.limits.sorted(by: { $0.key < $1.key })
    where !limits.set(name, to: value) {
      let names = ServerLimits.names.joined(separator: ", ")
      let range = ServerLimits.bounds(of: name).map {
        "a whole number, \($0.lowerBound) to \($0.upperBound), found \(value)"
      }
      throw settings.failure("limits.\(name)", "expected \(range ?? "one of \(names)")")
    }
    return limits
  }

  /// The worktrees' part of the server, if folders or machines are named.
  func worktrees() throws -> WorkspacePart? {
    // A token that cannot be used is of an option or the environment, never of the file.
    _ = try workspaces.token()
    do {
      return try workspaces.part(
        host: host,
        version: StationboardService.version,
        data: folder.path
      )
    } catch let error as ValidationError {
      guard let settings, command.workspaces.folders.isEmpty, command.workspaces.hub == nil else {
        throw error
      }
      throw settings.failure("workspacesHub", error.message)
    }
  }

  /// The database, if one is named.
  func database() throws -> PostgresAddress? {
    let database = try command.database.address(or: settings)
    guard libraryOwner != nil, database == nil || jobFolder == nil else { return database }
    if let settings, command.jobs.libraryOwner == nil {
      throw settings.failure(
        "jobs.libraryOwner",
        database == nil
          ? "it is for books in a database; name it in $.database"
          : "it is for the books of jobs; name a folder in $.jobs.folder"
      )
    }
    throw ValidationError(
      database == nil
        ? "--library-owner is for books in a database; name it with --database"
        : "--library-owner is for the books of jobs; name a folder with --jobs"
    )
  }

  /// Which requests of browsers the jobs' part of the server answers.
  func jobRules() throws -> OriginGuard {
    guard jobFolder != nil else { return OriginGuard(hosts: []) }
    do {
      return try workspaces.jobsGuard(host: host)
    } catch let error as ValidationError {
      guard let settings, command.jobs.jobs == nil else { throw error }
      throw settings.failure(
        "jobs",
        "on \(host) they need $.allowedHosts, the names or addresses by which others call this server"
      )
    }
  }

  /// The proxies whose word about clients counts.
  func proxies() throws -> TrustedProxies { try command.proxies.trusted(or: settings) }

  /// The key of receipts, if one is named.
  func receiptKey() throws -> ReceiptKey? {
    try (command.receiptKey ?? settings?.receiptKey).map {
      try ReceiptKeyFile.read($0, for: "freshet serve: --receipt-key")
    }
  }

  /// The clients that may see what the server depends on.
  func operators() throws -> OperatorAccess { try command.operation.access(or: settings) }

  /// A member to try, by its name in a checkup, with what to do if it cannot be used.
  struct Trial {
    let name: String
    let advice: String
    let read: () throws -> Void
  }

  /// Every member that can be refused.
  var trials: [Trial] {
    [
      Trial(name: "limits", advice: "correct or remove it") { _ = try limits() },
      Trial(name: "jobs' settings", advice: "correct or remove it") { _ = try jobs() },
      Trial(name: "jobs' clients", advice: "name the hosts in allowedHosts") {
        _ = try jobRules()
      },
      Trial(name: "worktrees", advice: "see freshet workspaces token --help") {
        _ = try worktrees()
      },
      Trial(name: "database", advice: "write it as postgres://user@host/name") {
        _ = try database()
      },
      Trial(name: "proxies", advice: "write addresses, ranges, or unix") { _ = try proxies() },
      Trial(name: "receipts", advice: "write a random key into the file") { _ = try receiptKey() },
      Trial(
        name: "operators",
        advice: "write a token of 16 printable characters or more into the file"
      ) { _ = try operators() },
      Trial(name: "certificate", advice: "name the chain and its key, both as PEM") {
        _ = try certificate()
      },
    ]
  }
}
