package import ArgumentParser
import Foundation
import Serving

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension AsyncParsableCommand {
  /// Runs the command that the arguments of the process name, and ends the process with its exit code.
  package static func runAndExit() async -> Never {
    do {
      if let unknown = UnknownCommand(in: Array(CommandLine.arguments.dropFirst()), of: self) {
        throw unknown.failure
      }
      var command = try parseAsRoot()
      if let shortage = DescriptorBudget.raised().shortage(DescriptorBudget.leastOfAny) {
        throw CommandFailure("\(configuration.commandName ?? ""): \(shortage)", .system)
      }
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      leave(0)
    } catch let failure as CommandFailure {
      fflush(nil)
      Terminal.complain(failure.message + "\n")
      leave(failure.exit.rawValue)
    } catch {
      let code = exitCode(for: error)
      let message = fullMessage(for: error)
      fflush(nil)
      if !message.isEmpty, code.isSuccess { Terminal.write(message + "\n") }
      if !message.isEmpty, !code.isSuccess { Terminal.complain(message + "\n") }
      // An error that is neither of the command line nor says its code itself.
      let isOwn = code.rawValue == ProgramExit.negative.rawValue && !(error is ExitCode)
      leave(isOwn ? exit(of: error).rawValue : code.rawValue)
    }
  }

  private static func exit(of error: any Error) -> ProgramExit {
    if let error = error as? any ExitingError { return error.exit }
    return error is CocoaError || error is POSIXError ? .inputOutput : .software
  }

  /// Ends the process without exit handlers, because event loops and pool threads still use what
  /// exit handlers release.
  private static func leave(_ code: Int32) -> Never {
    TerminalSession.giveBack()
    fflush(nil)
    _exit(code)
  }
}
