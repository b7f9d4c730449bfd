import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import Jobs
import Logging
import Serving

/// Reports a store that cannot be written at the moment, instead of a server failure: a full disk is 507, a database
/// that another program has locked is 503; both say when to retry.
struct StoreFaultMiddleware<Context: RequestContext>: RouterMiddleware {
  let store: any JobStore

  @concurrent
  func handle(
    _ request: Request,
    context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch {
      guard let fault = store.fault(of: error) else { throw error }
      let details = "\(error)"
      context.logger.warning("the store cannot be written", metadata: ["error": "\(details)"])
      throw fault.problem
    }
  }
}

/// Why a store cannot be written, if that passes.
package enum StoreFault: Hashable, Sendable {
  /// The disk is full.
  case full
  /// Another program has locked the database.
  case locked
  /// The database cannot be reached.
  case unreachable

  /// A disk with less room than this, in bytes, is full.
  private static let leastRoom: UInt64 = 256 << 10

  /// Reads an error; `nil` for one that is not temporary.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - folder: Where the store is.
  init?(_ error: any Error, in folder: String) {
    if let error = error as? DatabaseError {
      switch error.resultCode.primaryResultCode {
      case .SQLITE_FULL: self = .full
      case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked
      // SQLite cannot make its own files beside the database.
      case .SQLITE_IOERR, .SQLITE_CANTOPEN:
        guard Self.room(in: folder) ?? .max < Self.leastRoom else { return nil }
        self = .full
      default: return nil
      }
      return
    }
    guard Self.isFull(error as NSError) else { return nil }
    self = .full
  }

  /// How many bytes fit onto the disk of a folder.
  private static func room(in folder: String) -> UInt64? {
    var facts = statvfs()
    guard statvfs(folder, &facts) == 0 else { return nil }
    return UInt64(facts.f_bavail) * UInt64(facts.f_frsize)
  }

  private static func isFull(_ error: NSError) -> Bool {
    if error.domain == NSPOSIXErrorDomain, [ENOSPC, EDQUOT].contains(Int32(error.code)) {
      return true
    }
    if error.domain == NSCocoaErrorDomain,
      error.code == CocoaError.Code.fileWriteOutOfSpace.rawValue
    {
      return true
    }
    return (error.userInfo[NSUnderlyingErrorKey] as? NSError).map(isFull) ?? false
  }

  /// The problem for clients.
  var problem: Problem {
    switch self {
    case .full:
      JobProblem(
        HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
        .storageFull,
        "there is no room on the disk of the server; nothing was changed",
        retryAfter: 30
      ).problem
    case .locked:
      JobProblem(
        .serviceUnavailable,
        .storeLocked,
        "another program has locked the database of the server; nothing was changed",
        retryAfter: 5
      ).problem
    case .unreachable:
      JobProblem(
        .serviceUnavailable,
        .storeUnreachable,
        "the server cannot reach its database; what was sent may have been stored, so repeat it with the same key",
        retryAfter: 5
      ).problem
    }
  }
}
