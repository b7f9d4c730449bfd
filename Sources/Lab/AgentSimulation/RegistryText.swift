package import Agents
import StrictJSON

/// Writes the registry entry of a running Claude Code.
package enum RegistryText: Sendable {
  /// Returns the entry of a session.
  package static func bytes(
    process: ProcessIdentity,
    session: String,
    directory: String,
    status: String,
    waitingFor: String?,
    at time: WallTime
  ) -> [UInt8] {
    var members: [String: JSONValue] = [
      "pid": .whole(Int64(process.number)), "procStart": .string(String(process.start)),
      "sessionId": .string(session), "cwd": .string(directory), "status": .string(status),
      "statusUpdatedAt": .whole(time.milliseconds), "updatedAt": .whole(time.milliseconds),
      "version": .string(AgentDialect.claude21.version), "kind": .string("interactive"),
      "entrypoint": .string("cli"),
    ]
    if let waitingFor { members["waitingFor"] = .string(waitingFor) }
    return JSONValue.object(members).bytes
  }
}
