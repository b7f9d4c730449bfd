extension ConfiguredPrograms {
  /// The keys that decide whether git signs and verifies.
  static let signatureSwitches = ["commit.gpgsign", "merge.verifysignatures", "tag.gpgsign"]
  /// The keys that decide whether and by what git signs and verifies.
  static let signatures = Set(signatureSwitches + ["gpg.format"])

  /// A program that makes and verifies signatures.
  public struct Signer: Hashable, Sendable {
    /// Its name, or its path.
    public var command: [UInt8]
    /// Whether it is of GnuPG, which keeps its locks and its keys in a folder of the person's.
    public var isGnuPG: Bool
  }

  /// The programs for signatures by their keys, and what git runs by default.
  private static let signers = [
    (format: "openpgp", key: "gpg.openpgp.program", usual: "gpg"),
    (format: "x509", key: "gpg.x509.program", usual: "gpgsm"),
    (format: "ssh", key: "gpg.ssh.program", usual: "ssh-keygen"),
  ]

  /// Whether git signs or verifies because the person's own configuration says so, and the repository's does not say no.
  private func isOn(_ key: String) -> Bool {
    [own[key], signatureValue(key)].allSatisfy { value in
      value.map { !ProgramKey.isOff($0) } ?? false
    }
  }

  /// The program that the person's own configuration has for signatures; `nil` if nothing is signed or verified.
  public var signer: Signer? {
    guard Self.signatureSwitches.contains(where: isOn) else { return nil }
    let format = signatureValue("gpg.format").map { String(decoding: $0, as: UTF8.self) }
    guard let each = Self.signers.first(where: { $0.format == format ?? "openpgp" }) else {
      return nil
    }
    return Signer(command: program(each.key, each.usual), isGnuPG: each.format != "ssh")
  }

  private func program(_ key: String, _ usual: String) -> [UInt8] {
    let general = key == "gpg.openpgp.program" ? own["gpg.program"] : nil
    return own[key] ?? general ?? Array(usual.utf8)
  }

  /// The settings that let git sign and verify only as the person's own configuration says.
  var signatureSettings: [Setting] {
    let switches = Self.signatureSwitches.map { key in Setting(key, isOn(key) ? "true" : "false") }
    guard switches.contains(where: { $0.value.elementsEqual("true".utf8) }) else { return switches }
    return switches
      + Self.signers.map { Setting(Array($0.key.utf8), program($0.key, $0.usual)) }
  }

  /// The settings that let git fetch with the person's own programs only.
  public var fetchSettings: [Setting] {
    // An empty helper takes those away that came before it, also those of single addresses.
    [Setting("credential.helper", "")] + ownHelpers
      + [
        Setting(
          Array("core.alternateRefsCommand".utf8),
          own["core.alternaterefscommand"] ?? Array("true".utf8)
        ), Setting("gc.auto", "0"), Setting("maintenance.auto", "false"),
      ]
  }

  /// The variables that let git fetch with the person's own programs only (git(1), ENVIRONMENT VARIABLES).
  public var fetchVariables: [String: String] {
    func text(_ key: String) -> String? { own[key].map { String(decoding: $0, as: UTF8.self) } }
    let transports = ["file", "git", "http", "https", "ssh"] + ownTransports
    var variables = [
      "GIT_ALLOW_PROTOCOL": transports.joined(separator: ":"),
      // A connection that others may use would be a socket in a folder that git may not write in.
      "GIT_SSH_COMMAND": text("core.sshcommand") ?? "ssh -o ControlMaster=no",
    ]
    if own["core.gitproxy"] == nil { variables["GIT_PROXY_COMMAND"] = "" }
    return variables
  }
}
