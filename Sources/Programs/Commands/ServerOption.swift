package import ArgumentParser
package import ConditionalHTTP
import Foundation

/// The `--server` option of the commands that ask a server.
package struct ServerOption: ParsableArguments {
  /// The server that is asked if none is named.
  package static let usual = "http://127.0.0.1:8080"

  @Option(
    name: .customLong("server"),
    help: ArgumentHelp(
      "The server, such as https://boards.example.org or localhost:8080. Default: $FRESHET_SERVER, else \(usual).",
      valueName: "address"
    )
  )
  package var named: String?

  /// Creates an option without a value.
  package init() {}

  /// Checks the address.
  package func validate() throws {
    do throws(HTTPAddress.Invalid) {
      _ = try Self.address(named)
    } catch {
      throw ValidationError("\(named == nil ? "FRESHET_SERVER" : "--server"): \(error)")
    }
  }

  /// The server: the one that is named, that of the environment, or ``usual``.
  package var address: HTTPAddress {
    get throws(HTTPAddress.Invalid) { try Self.address(named) }
  }

  /// Returns the advice that follows the reason why a server cannot be reached; empty unless it is on this machine.
  package static func advice(for address: HTTPAddress) -> String {
    address.isLocal ? "\nIs the server running? Start it with: freshet serve" : ""
  }

  /// Reads the address of a server; without a scheme it is http.
  ///
  /// - Parameter named: The address that was given; `nil` for that of the environment or ``usual``.
  /// - Returns: The address.
  /// - Throws: `HTTPAddress.Invalid` with the text as it was given.
  package static func address(_ named: String?) throws(HTTPAddress.Invalid) -> HTTPAddress {
    let environment = ProcessInfo.processInfo.environment["FRESHET_SERVER"]
    let text = named ?? environment.flatMap { $0.isEmpty ? nil : $0 } ?? usual
    return try HTTPAddress(typed: text)
  }
}
