package import HTTPTypes
package import Workspaces

/// What another system's clients expect of answers whose addresses are the native ones.
///
/// A value may be written in another way, but no member is left out, so that native clients read the same answers.
package protocol WorkspaceDialect: Sendable {
  /// Writes a member of a worktree.
  ///
  /// - Parameters:
  ///   - key: The member.
  ///   - json: Its native value.
  /// - Returns: Its value, as JSON.
  func member(_ key: Workspace.CodingKeys, _ json: [UInt8]) -> [UInt8]

  /// Writes an agent session.
  ///
  /// - Parameter json: The native session.
  /// - Returns: The session, as JSON.
  func session(_ json: [UInt8]) -> [UInt8]

  /// The status of the answer to a checkout.
  var checkoutStatus: HTTPResponse.Status { get }

  /// How long an unused worktree is the response to a repetition of its checkout, in seconds.
  var checkoutRepeats: Double { get }
}
