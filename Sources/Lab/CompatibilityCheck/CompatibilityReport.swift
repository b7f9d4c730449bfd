package import StrictJSON

/// What came of playing an app's clients against a server.
package struct CompatibilityReport: Hashable, Sendable {
  /// The name of the app, as `--as` has it.
  package var app: String
  /// The server.
  package var server: String
  /// The added time that bytes took each way, in milliseconds.
  package var latency: Int
  /// The steps, in the order in which they ended.
  package var steps: [CompatibilityStep]

  package init(app: String, server: String, latency: Int, steps: [CompatibilityStep]) {
    self.app = app
    self.server = server
    self.latency = latency
    self.steps = steps
  }

  /// The steps that did not end as the client needs.
  package var failed: Int { steps.count { !$0.isPassed } }

  /// Whether there were steps, and all ended as the client needs.
  package var isPassed: Bool { !steps.isEmpty && failed == 0 }

  /// The verdict in one line.
  package var summary: String {
    if steps.isEmpty { return "no step was taken" }
    if failed == 0 { return "all \(steps.count) steps end as the client needs" }
    return "\(failed) of \(steps.count) steps fail"
  }

  /// The report as JSON.
  package var json: JSONValue {
    .object([
      "app": .string(app),
      "server": .string(server),
      "latencyMs": .whole(Int64(latency)),
      "passed": .bool(isPassed),
      "failed": .whole(Int64(failed)),
      "steps": .list(steps.map(\.json)),
    ])
  }
}

extension CompatibilityStep {
  /// The step as JSON.
  package var json: JSONValue {
    .object([
      "client": .string(client),
      "asked": .string(asked),
      "expected": .string(expected),
      "passed": .bool(isPassed),
      "faults": .list(faults.map { .string($0) }),
      "milliseconds": .whole(Int64(milliseconds)),
    ])
  }

  /// The step as lines for a terminal: what was asked, what is expected and the verdict, then a line for each fault.
  package var lines: [String] {
    let verdict = isPassed ? "ok  " : "FAIL"
    let who = client.isEmpty ? "" : "\(client): "
    return ["\(verdict)  \(who)\(asked) → \(expected) (\(milliseconds) ms)"]
      + faults.map { "        \($0)" }
  }
}
