package import ArgumentParser

/// The exit codes of the programs besides 0: 1 and those of `sysexits.h`.
///
/// 1 is an answer: a check that found something, a job that failed, a stop that is not there. Every other code says
/// that there is no answer, and why.
package enum ProgramExit: Int32, Sendable {
  /// The answer is no.
  case negative = 1
  /// The command line is wrong (EX_USAGE).
  case usage = 64
  /// The input is not what it should be (EX_DATAERR).
  case badData = 65
  /// The input is not there or cannot be read (EX_NOINPUT).
  case noInput = 66
  /// A server does not respond, or a port or socket is taken (EX_UNAVAILABLE).
  case unavailable = 69
  /// The program itself failed (EX_SOFTWARE).
  case software = 70
  /// The system gives too little, such as descriptors (EX_OSERR).
  case system = 71
  /// A file or folder cannot be made, also because the disk is full (EX_CANTCREAT).
  case cannotCreate = 73
  /// Reading or writing failed half way (EX_IOERR).
  case inputOutput = 74
  /// It may work later (EX_TEMPFAIL).
  case temporary = 75
  /// The server's answer is not what its contract says (EX_PROTOCOL).
  case contract = 76
  /// It is not allowed (EX_NOPERM).
  case noPermission = 77
  /// The configuration is wrong (EX_CONFIG).
  case configuration = 78
}

/// An error that knows its exit code.
package protocol ExitingError: Error {
  /// The exit code.
  var exit: ProgramExit { get }
}

/// Why a command ends without doing what it was asked to.
package struct CommandFailure: ExitingError {
  /// The text for a person, with the command it begins with, like `freshet serve: …`.
  package let message: String
  /// The exit code.
  package let exit: ProgramExit

  /// Creates a failure.
  package init(_ message: String, _ exit: ProgramExit) {
    self.message = message
    self.exit = exit
  }
}

extension ExitCode {
  /// Creates the code of an end that needs no text.
  package init(_ exit: ProgramExit) { self.init(exit.rawValue) }
}
