package import BookLibrary
package import Commands
import FeedRecording
import Freshness
import FreshnessRuntime
import GTFS
import Jobs
import JobsClient
import JobsServer
import StationboardClient
import Storage
import WorkspacesClient

extension ProgramExit {
  /// The exit code for a feed or a data folder that cannot be used.
  init(_ error: FeedError) {
    self =
      switch error.code {
      case .unreadable: .noInput
      case .cannotWrite: .cannotCreate
      case .busy, .conflict, .notInPlace: .temporary
      case .unavailable, .unknownOutcome: .unavailable
      case .databaseRefuses: .noPermission
      case .noDatabase: .configuration
      default: .badData
      }
  }

  /// The exit code for a backup that cannot be made or restored.
  init(_ failure: BackupFailure) {
    self =
      switch failure.code {
      case .unreadable: .noInput
      case .unwritable: .cannotCreate
      case .damaged: .badData
      case .busy: .temporary
      }
  }

  /// The exit code for a recording that cannot be used.
  init(_ failure: FeedRecording.Failure) {
    self =
      switch failure.code {
      case .unreadable: .noInput
      case .unwritable: .cannotCreate
      case .busy: .temporary
      default: .badData
      }
  }

  /// The exit code for a request that a server refused or could not answer.
  ///
  /// - Parameter status: The status of the response (RFC 9110, section 15).
  init(refusal status: Int) {
    self =
      switch status {
      case 401, 403: .noPermission
      case 404, 410: .noInput
      case 409: .negative
      case 429, 503, 507: .temporary
      case 500...: .unavailable
      case 400...: .badData
      default: .contract
      }
  }

  /// The exit code for a status that says nothing of what was asked for, only who may ask and how often.
  private static func ofAccess(_ status: Int?) -> ProgramExit? {
    guard let status, [401, 403, 429].contains(status) else { return nil }
    return ProgramExit(refusal: status)
  }

  /// The exit code for boards that were not received.
  init(_ failure: StationboardFailure) {
    self =
      switch failure.code {
      case .invalidAddress: .usage
      case .unreachable, .server: .unavailable
      // That there is no such stop is the answer.
      case .refused:
        Self.ofAccess(failure.status) ?? .negative
      case .unreadable: .contract
      }
  }

  /// The exit code for a folder of jobs that cannot be used.
  init(_ error: JobStoreError) {
    self =
      switch error {
      case .inUse: .temporary
      case .unwritable: .cannotCreate
      case .damaged, .gone, .fenced: .badData
      }
  }

  /// The exit code for an answer of a server of worktrees.
  init(_ failure: WorkspaceFailure) {
    self =
      switch failure.kind {
      case .unreachable: .unavailable
      case .refused:
        Self.ofAccess(failure.status) ?? .negative
      case .unreadable: .contract
      }
  }

  /// The exit code for a resource of which no copy came.
  init(_ failure: LiveFailure) {
    self =
      switch failure.kind {
      case .unauthorised: .noPermission
      case .throttled: .temporary
      case .undecodable, .missingBody: .contract
      case .refused, .gone: .negative
      case .serverError, .timedOut, .unreachable: .unavailable
      }
  }

  /// The exit code for an answer of a server of jobs.
  init(_ failure: JobClientFailure) {
    switch failure {
    case .unreachable: self = .unavailable
    case .notFinished: self = .temporary
    case .unknownJob, .expired: self = .noInput
    case .refused(let refusal): self = ProgramExit(refusal: refusal.status)
    }
  }
}

extension LibraryError: ExitingError {
  /// The exit code for a library or a catalogue that cannot be used.
  package var exit: ProgramExit {
    switch code {
    case .otherFile, .damagedDump: .badData
    case .unreadable, .unreadableDump: .noInput
    case .busy: .temporary
    case .unusable: .inputOutput
    case .notMade: .cannotCreate
    }
  }
}
