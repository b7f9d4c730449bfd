import Commands
import ConditionalHTTP
import Foundation
import Jobs
import JobsClient
import Storage
import StrictJSON

/// The jobs that were started from this machine and their access tokens, in a file readable only by
/// the owner.
struct TokenStore {
  /// One job.
  struct Entry: Hashable {
    var server: String
    var pipeline: String
    /// The name of the input, for display.
    var name: String
    /// When it was started, in milliseconds since 1970-01-01T00:00:00Z.
    var startedAt: Int64
    var credential: JobCredential
  }

  /// The reason why a job cannot be found or stored.
  struct Failure: Error, CustomStringConvertible {
    var description: String
    /// The exit code of a command that ends with it.
    var exit = ProgramExit.cannotCreate
  }

  /// The maximum number of jobs that are stored.
  static let most = 200
  /// The time limit for waiting for other commands that write the file.
  static let lockTimeout = Duration.seconds(30)

  let path: String

  /// `$XDG_STATE_HOME/freshet/jobs.json`, or that below `~/.local/state`.
  static var usualPath: String {
    let environment = ProcessInfo.processInfo.environment
    let home = environment["HOME"] ?? NSHomeDirectory()
    let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    return (state ?? home + "/.local/state") + "/freshet/jobs.json"
  }

  /// Returns the jobs, newest first; empty if the file does not exist.
  func entries() throws -> [Entry] {
    let data: Data
    do throws(UnreadableFile) {
      data = try RegularFile.bytes(of: path)
    } catch {
      guard error.code != ENOENT, error.code != ENOTDIR else { return [] }
      throw Failure(
        description: "\(path) cannot be read: \(error)",
        exit: error.code == nil ? .badData : .noInput
      )
    }
    let noList = Failure(description: "\(path) is not a job list; move it aside", exit: .badData)
    guard let list = try? JSONReader.value(of: Array(data)).list else { throw noList }
    return try list.map { value in
      guard let server = value["server"]?.string, let job = value["job"]?.string,
        let token = value["token"]?.string
      else { throw noList }
      return Entry(
        server: Self.address(server),
        pipeline: value["pipeline"]?.string ?? "",
        name: value["name"]?.string ?? "",
        startedAt: value["startedAt"]?.int64 ?? 0,
        credential: JobCredential(
          job: job,
          token: token,
          tokenExpiresAt: value["tokenExpiresAt"]?.int64
        )
      )
    }
  }

  /// Returns the canonical address of a server, without a trailing slash.
  static func address(_ server: String) -> String {
    (try? HTTPAddress(server))?.description ?? server
  }

  /// Finds a job by its id or a prefix of it, or the newest one.
  ///
  /// - Parameters:
  ///   - id: The id or a prefix; `nil` for the newest.
  ///   - server: The server of the job; `nil` for any.
  /// - Returns: The job.
  /// - Throws: ``Failure`` if no job matches, or more than one.
  func find(_ id: String?, of server: String?) throws -> Entry {
    let server = server.map(Self.address)
    let entries = try entries().filter { server == nil || $0.server == server }
    let place = server.map { " on \($0)" } ?? ""
    guard let id else {
      guard let newest = entries.first else {
        throw Failure(description: "no job was started from here\(place)", exit: .noInput)
      }
      return newest
    }
    let found = entries.filter { $0.credential.job.hasPrefix(id) }
    guard let entry = found.first else {
      throw Failure(
        description: "no job that was started from here\(place) begins with \"\(id)\"",
        exit: .noInput
      )
    }
    guard found.count == 1 || entry.credential.job == id else {
      throw Failure(description: "\(found.count) jobs begin with \"\(id)\"", exit: .noInput)
    }
    return entry
  }

  /// Stores a job, or its new token.
  ///
  /// Concurrent commands do this one after the other.
  ///
  /// - Throws: ``Failure``.
  func keep(_ entry: Entry) throws { try locked { try put(entry) } }

  /// Runs work that no other command does at the same time, with an existing folder.
  ///
  /// The lock is on a separate file, since the list is replaced by another file.
  func locked(_ work: () throws -> Void) throws {
    // A device or a folder in its place would be replaced, and so would a list that this user may not read.
    _ = try entries()
    do {
      try FileManager.default.createDirectory(
        atPath: path.enclosingFolder,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
    } catch {
      let reason = ErrorText.of(error, showsPath: false)
      throw Failure(description: "\(path) cannot be written: \(reason)")
    }
    let name = path + ".lock"
    let lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw Failure(description: "\(name) cannot be opened") }
    defer {
      flock(lock, LOCK_UN)
      close(lock)
    }
    let end = ContinuousClock.now.advanced(by: Self.lockTimeout)
    while flock(lock, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw Failure(description: "\(name) cannot be locked")
      }
      guard ContinuousClock.now < end else {
        throw Failure(description: "\(name) is held by another program", exit: .temporary)
      }
      usleep(10_000)
    }
    try work()
  }

  private func put(_ entry: Entry) throws {
    var entries = try entries().filter { $0.credential.job != entry.credential.job }
    entries.insert(entry, at: 0)
    let list = entries.sorted { $0.startedAt > $1.startedAt }.prefix(Self.most).map { entry in
      var members: [String: JSONValue] = [
        "server": .string(entry.server), "pipeline": .string(entry.pipeline),
        "name": .string(entry.name), "startedAt": .whole(entry.startedAt),
        "job": .string(entry.credential.job), "token": .string(entry.credential.token),
      ]
      members["tokenExpiresAt"] = entry.credential.tokenExpiresAt.map { .whole($0) }
      return JSONValue.object(members)
    }
    try replace(path, with: JSONValue.list(list).bytes)
  }

  /// Replaces a file by a new one that is readable only by its owner.
  func replace(_ path: String, with bytes: [UInt8]) throws {
    let manager = FileManager.default
    let fresh = "\(path).\(ProcessInfo.processInfo.processIdentifier).new"
    try? manager.removeItem(atPath: fresh)
    // The permissions are set before the tokens are written.
    let isMade = manager.createFile(
      atPath: fresh,
      contents: Data(bytes),
      attributes: [.posixPermissions: 0o600]
    )
    guard isMade else { throw Failure(description: "\(fresh) cannot be written") }
    guard rename(fresh, path) == 0 else {
      try? manager.removeItem(atPath: fresh)
      throw Failure(description: "\(path) cannot be replaced")
    }
  }
}
