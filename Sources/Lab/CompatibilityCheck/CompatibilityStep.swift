/// One step of an app's client, and how it ended.
package struct CompatibilityStep: Hashable, Sendable {
  /// What the client did, such as the method and the path of a request.
  package var name: String
  /// What the client would trip over, in its own terms; empty if nothing.
  package var faults: [String]

  package init(_ name: String, faults: [String] = []) {
    self.name = name
    self.faults = faults
  }

  /// Whether the client goes on as it would with the server that it was written for.
  package var isPassed: Bool { faults.isEmpty }
}
