import ArgumentParser
import Commands
import Foundation
import ServeSettings
import Serving
import StationboardServer

/// The options of `freshet serve` for those who operate it.
struct OperationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A file with the token of operators, who see in /health/ready what the server depends on; FRESHET_OPERATOR_TOKEN in the environment does the same. Without one, only this machine sees it.",
      valueName: "file"
    )
  )
  var operatorTokenFile: String?

  @Option(
    help: ArgumentHelp(
      "How long to serve on after SIGTERM while /health/ready says draining. Default: 0.",
      valueName: "seconds"
    )
  )
  var drainSeconds: Int?

  @Option(
    help: ArgumentHelp(
      "How long requests under way have at the end, before they are cut off. Default: 20.",
      valueName: "seconds"
    )
  )
  var closeSeconds: Int?

  @Flag(
    inversion: .prefixedNo,
    help:
      "Give each client network its share of the server while several ask. Default: --fair-admission."
  )
  var fairAdmission: Bool?

  @Option(
    help: ArgumentHelp(
      "For how many days the punctuality of each line is kept; 0 keeps none. Default: 90, and 0 with --replay.",
      valueName: "days"
    )
  )
  var historyDays: Int?

  func validate() throws {
    guard HistoryLimits.days.contains(historyDays ?? 0) else {
      throw ValidationError(
        "--history-days is \(HistoryLimits.days.lowerBound) to \(HistoryLimits.days.upperBound)"
      )
    }
    for (name, seconds) in [("drain", drainSeconds), ("close", closeSeconds)] {
      guard (0...ShutdownLimits.longest).contains(seconds ?? 0) else {
        throw ValidationError("--\(name)-seconds is 0 to \(ShutdownLimits.longest)")
      }
    }
  }

  /// How the server ends.
  func shutdown(or settings: ServeSettings?) -> ShutdownLimits {
    var limits = ShutdownLimits()
    limits.drainSeconds = drainSeconds ?? settings?.shutdown?.drainSeconds ?? limits.drainSeconds
    limits.closeSeconds = closeSeconds ?? settings?.shutdown?.closeSeconds ?? limits.closeSeconds
    return limits
  }

  /// What admits requests by their clients; `nil` to admit all.
  func admission(_ limits: ServerLimits, or settings: ServeSettings?) -> AdmissionControl? {
    guard fairAdmission ?? settings?.fairAdmission ?? true else { return nil }
    return AdmissionControl(limits: AdmissionLimits(limits))
  }

  /// For how many days the history is kept; `nil` to keep none.
  func historyDays(or settings: ServeSettings?, isReplay: Bool) -> Int? {
    let days =
      historyDays ?? (isReplay ? 0 : settings?.historyDays ?? HistoryLimits.usualDays)
    return days > 0 ? days : nil
  }

  /// The clients that may see what the server depends on.
  ///
  /// - Throws: ``CommandFailure`` if the token cannot be read or is too short, `ValidationError` if it is that of the
  ///   environment; it is not repeated.
  func access(or settings: ServeSettings?) throws -> OperatorAccess {
    let text: String?
    let path = operatorTokenFile ?? settings?.operatorTokenFile
    if let path {
      text = try TokenFile.read(path, for: "freshet serve: --operator-token-file")
    } else {
      text = ProcessInfo.processInfo.environment["FRESHET_OPERATOR_TOKEN"]
    }
    guard let token = text?.trimmingCharacters(in: .whitespacesAndNewlines) else {
      return OperatorAccess(token: nil)
    }
    guard OperatorAccess.tokenBytes.contains(token.utf8.count),
      token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      let least = OperatorAccess.tokenBytes.lowerBound
      let reason =
        "the token of operators is to be at least \(least) printable characters without spaces"
      guard let path else { throw ValidationError("FRESHET_OPERATOR_TOKEN: \(reason)") }
      throw CommandFailure("freshet serve: \(path): \(reason)", .badData)
    }
    return OperatorAccess(token: token)
  }
}
