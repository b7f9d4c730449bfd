package import ArgumentParser
import Foundation
import Serving
import Storage

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
    var name = configuration.commandName ?? ""
    do {
      if let unknown = UnknownCommand(in: Array(CommandLine.arguments.dropFirst()), of: self) {
        throw unknown.failure
      }
      var command = try parseAsRoot()
      let kind = type(of: command)
      name = CommandPath(to: kind, from: self)?.text ?? name
      if let shortage = DescriptorBudget.raised().shortage(DescriptorBudget.leastOfAny) {
        throw CommandFailure("\(configuration.commandName ?? ""): \(shortage)", .system)
      }
      do {
        if var command = command as? any AsyncParsableCommand {
          try await command.run()
        } else {
          try command.run()
        }
      } catch let error as ValidationError {
        // The parser knows the command of what it refuses itself only.
        let usage = usageString(for: kind).replacing("\n", with: "\n       ")
        let help = "  See '\(name) --help' for more information."
        throw CommandFailure("Error: \(error.message)\nUsage: \(usage)\n\(help)", .usage)
      }
      end(name, 0)
    } catch let failure as CommandFailure {
      fflush(nil)
      Terminal.complain(failure.message + "\n")
      leave(failure.exit.rawValue)
    } catch let error as any ExitingError {
      Terminal.complain("\(name): \(Terminal.plain("\(error)"))\n")
      leave(error.exit.rawValue)
    } catch let code as ExitCode {
      end(name, code.rawValue)
    } catch let error where ErrorText.isOfSystem(error) {
      Terminal.complain("\(name): \(Terminal.plain(ErrorText.of(error)))\n")
      leave(ProgramExit.inputOutput.rawValue)
    } catch {
      let code = exitCode(for: error)
      let message = fullMessage(for: error)
      if code.isSuccess {
        if !message.isEmpty { Terminal.write(message + "\n") }
        end(name, 0)
      }
      if !message.isEmpty { Terminal.complain(message + "\n") }
      // 1 means an error that is not of the command line.
      let isOwn = code.rawValue == ProgramExit.negative.rawValue
      leave(isOwn ? ProgramExit.software.rawValue : code.rawValue)
    }
  }

  /// Ends the process; with ``ProgramExit/inputOutput`` if output is lost.
  private static func end(_ name: String, _ code: Int32) -> Never {
    if let reason = Terminal.lostOutput {
      Terminal.complain("\(name): standard output: \(reason)\n")
      leave(ProgramExit.inputOutput.rawValue)
    }
    leave(code)
  }

  /// Ends the process without exit handlers, because event loops and pool threads still use what
  /// exit handlers release.
  private static func leave(_ code: Int32) -> Never {
    TerminalSession.giveBack()
    fflush(nil)
    _exit(code)
  }
}
