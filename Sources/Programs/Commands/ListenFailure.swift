import Foundation
import NIOCore

/// Explains why a server cannot listen.
package enum ListenFailure {
  /// Returns the reason, and what to do about a port that is in use.
  package static func text(_ error: any Error) -> String {
    guard let error = error as? IOError else { return "\(error)" }
    switch error.errnoCode {
    case EADDRINUSE: return "the port is taken; choose another with --port, or 0 for a free one"
    case EACCES: return "the port may not be opened by this user; choose one above 1023"
    default: return "\(error)"
    }
  }

  /// Returns the exit code for the reason.
  package static func exit(_ error: any Error) -> ProgramExit {
    switch (error as? IOError)?.errnoCode {
    case EADDRINUSE, EADDRNOTAVAIL: .unavailable
    case EACCES: .noPermission
    default: .system
    }
  }
}
