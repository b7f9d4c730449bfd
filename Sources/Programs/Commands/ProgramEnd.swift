package import ArgumentParser
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
      var command = try parseAsRoot()
      if let shortage = DescriptorBudget.raised().shortage(DescriptorBudget.leastOfAny) {
        Terminal.complain("\(configuration.commandName ?? ""): \(shortage)\n")
        leave(1)
      }
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      leave(0)
    } catch {
      let code = exitCode(for: error)
      let message = fullMessage(for: error)
      fflush(nil)
      if !message.isEmpty, code.isSuccess { Terminal.write(message + "\n") }
      if !message.isEmpty, !code.isSuccess { Terminal.complain(message + "\n") }
      leave(code.rawValue)
    }
  }

  /// Ends the process without exit handlers, because event loops and pool threads still use what
  /// exit handlers release.
  private static func leave(_ code: Int32) -> Never {
    TerminalSession.giveBack()
    fflush(nil)
    _exit(code)
  }
}
