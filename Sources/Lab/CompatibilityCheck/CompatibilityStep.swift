/// One step of an app's client, and how it ended.
package struct CompatibilityStep: Hashable, Sendable {
  /// Which client of the app took it, such as `web` or `iOS`; empty for an app with one client.
  package var client: String
  /// What the client asked, such as the method and the path of a request.
  package var asked: String
  /// What the client needs of the answer.
  package var expected: String
  /// What the client would trip over, in its own terms; empty if nothing.
  package var faults: [String]
  /// How long the step took, in milliseconds.
  package var milliseconds: Int

  package init(
    client: String = "",
    asked: String,
    expected: String,
    faults: [String] = [],
    milliseconds: Int = 0
  ) {
    self.client = client
    self.asked = asked
    self.expected = expected
    self.faults = faults
    self.milliseconds = milliseconds
  }

  /// Whether the client continues as it would with the server that it was written for.
  package var isPassed: Bool { faults.isEmpty }
}
