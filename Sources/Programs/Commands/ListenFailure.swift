import Foundation
import NIOCore
import Storage

/// Explains why a server cannot listen.
package enum ListenFailure {
  /// Returns the reason, and what to do about it.
  package static func text(_ error: any Error) -> String {
    if error is SocketAddressError.UnknownHost {
      return "the name is not known; name an address of this machine with --host"
    }
    guard let error = error as? IOError else { return ErrorText.of(error) }
    switch error.errnoCode {
    case EADDRINUSE: return "the port is taken; choose another with --port, or 0 for a free one"
    case EADDRNOTAVAIL:
      return "it is not an address of this machine; name one of its own with --host"
    case EACCES: return "the port may not be opened by this user; choose one above 1023"
    case let code: return String(cString: strerror(code))
    }
  }

  /// Returns the exit code for the reason.
  package static func exit(_ error: any Error) -> ProgramExit {
    if error is SocketAddressError.UnknownHost { return .unavailable }
    return switch (error as? IOError)?.errnoCode {
    case EADDRINUSE, EADDRNOTAVAIL: .unavailable
    case EACCES: .noPermission
    default: .system
    }
  }
}
