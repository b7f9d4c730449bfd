/// Whether a key of a configuration names a program, and who would run it.
///
/// In the sections in which git has programs, a variable is harmless only if it is listed here: one that a later git
/// adds counts as a program until then. In other sections the words in its name decide.
public enum ProgramKey: Sendable {
  /// What runs a program that a configuration names.
  public enum Use: String, Hashable, Sendable {
    /// Git, when a worktree is created, merged, synced or removed, or its state is read.
    case action
    /// Git, for a user at a terminal only.
    case terminal
    /// Git, when it fetches: it names a file to read or write, or decides what git trusts.
    case fetch
    /// Git, when it signs or verifies: the person's own configuration counts instead until it is trusted.
    case signature
  }

  /// The parts of a key.
  struct Parts {
    /// In lowercase.
    var section: String
    /// As written; `nil` without one.
    var name: [UInt8]?
    /// In lowercase.
    var variable: String

    init(_ key: [UInt8]) {
      let first = key.firstIndex(of: UInt8(ascii: ".")) ?? key.endIndex
      let last = key.lastIndex(of: UInt8(ascii: ".")) ?? key.endIndex
      section = String(decoding: key[..<first], as: UTF8.self)
      name = first < last ? Array(key[(first + 1)..<last]) : nil
      variable = last < key.endIndex ? String(decoding: key[(last + 1)...], as: UTF8.self) : ""
    }
  }

  /// Returns what would run the program of an entry.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - value: The value.
  /// - Returns: The use; `nil` if the entry names no program.
  public static func use(_ key: [UInt8], _ value: [UInt8]?) -> Use? {
    let parts = Parts(key)
    let value = value ?? Array("true".utf8)
    if value.isEmpty { return nil }
    if let use = special(parts, value) { return use.value }
    if let harmless = harmless[parts.section] {
      return harmless.contains(parts.variable) ? nil : .action
    }
    guard words.contains(where: { parts.variable.contains($0) }), !isFlag(value) else {
      return value.first == UInt8(ascii: "!") ? .action : nil
    }
    return forTerminals.contains(parts.section) ? .terminal : .action
  }

  /// A decision, where `nil` means that the key names no program.
  private struct Verdict {
    var value: Use?
  }

  /// The keys that no list covers.
  private static func special(_ parts: Parts, _ value: [UInt8]) -> Verdict? {
    switch (parts.section, parts.variable) {
    case ("gitflow", _):
      // A tool that is not part of git; `git flow init` sets the folder of hooks.
      return Verdict(value: nil)
    case ("alias", _):
      return Verdict(value: value.first == UInt8(ascii: "!") ? .terminal : nil)
    case (_, "description"):
      return Verdict(value: nil)
    case ("pager", _):
      return Verdict(value: isFlag(value) ? nil : .terminal)
    case ("core", "fsmonitor"):
      return Verdict(value: isFlag(value) ? nil : .action)
    case ("core", "editor"), ("core", "pager"), ("core", "askpass"), ("sequence", _),
      ("diff", "external"), ("diff", "command"), ("diff", "textconv"), ("web", "browser"):
      return Verdict(value: .terminal)
    case ("filter", _):
      guard ["clean", "smudge", "process"].contains(parts.variable) else {
        return Verdict(value: parts.variable == "required" ? nil : .action)
      }
      return Verdict(value: isLFS(parts.variable, value) ? nil : .action)
    case ("merge", "name"), ("merge", "recursive"):
      return Verdict(value: nil)
    case ("http", _):
      let isPlain = plainForTransfers.contains(parts.variable)
      let isSecure = parts.variable == "sslverify" ? !isOff(value) : isOff(value)
      return Verdict(value: isPlain || isSecure ? nil : .fetch)
    case ("remote", "proxy"), ("remote", "proxyauthmethod"):
      return Verdict(value: .fetch)
    case ("commit", "gpgsign"), ("merge", "verifysignatures"), ("tag", "gpgsign"):
      return Verdict(value: isOff(value) ? nil : .signature)
    case ("submodule", "update"):
      return Verdict(value: value.first == UInt8(ascii: "!") ? .action : nil)
    case ("remote", "url"), ("remote", "pushurl"), ("remote", "pushdefault"),
      ("branch", "remote"), ("branch", "pushremote"):
      return Verdict(value: hasHelper(value) ? .action : nil)
    case ("url", _):
      return Verdict(value: hasHelper(parts.name ?? []) ? .action : nil)
    case ("protocol", "allow"):
      let plain = ["http", "https", "ssh", "git", "file"].map { Array($0.utf8) }
      let isPlain = parts.name.map { plain.contains($0) } ?? false
      return Verdict(value: isPlain || value.elementsEqual("never".utf8) ? nil : .action)
    case ("lfs", "path") where parts.name?.starts(with: "customtransfer.".utf8) == true,
      ("lfs", "clean"), ("lfs", "smudge"), ("lfs", "standalonetransferagent"):
      return Verdict(value: .action)
    case ("hook", _):
      return Verdict(
        value: parts.variable == "event" || parts.variable == "enabled" ? nil : .action
      )
    default:
      return nil
    }
  }

  /// Whether a value is a boolean (git-config(1), Values).
  static func isFlag(_ value: [UInt8]) -> Bool {
    ["true", "yes", "on", "1", "false", "no", "off", "0", ""]
      .contains(String(decoding: value, as: UTF8.self).lowercased())
  }

  /// Whether a value is a boolean that says no.
  static func isOff(_ value: [UInt8]) -> Bool {
    ["false", "no", "off", "0", ""].contains(String(decoding: value, as: UTF8.self).lowercased())
  }

  /// Whether a filter's command is exactly the one that git-lfs installs.
  static func isLFS(_ variable: String, _ value: [UInt8]) -> Bool {
    let commands: [String: [String]] = [
      "clean": ["git-lfs clean -- %f"],
      "smudge": ["git-lfs smudge -- %f", "git-lfs smudge --skip -- %f"],
      "process": ["git-lfs filter-process", "git-lfs filter-process --skip"],
    ]
    return commands[variable]?.contains { value.elementsEqual($0.utf8) } ?? false
  }

  /// Whether an address names a transport program: `helper::address` (gitremote-helpers(7)), or a scheme that is
  /// unknown to git; or whether it begins with a dash.
  static func hasHelper(_ address: [UInt8]) -> Bool {
    guard let colon = address.firstIndex(of: UInt8(ascii: ":")) else {
      return address.first == UInt8(ascii: "-")
    }
    let scheme = String(decoding: address[..<colon], as: UTF8.self).lowercased()
    let rest = address[(colon + 1)...]
    if rest.first == UInt8(ascii: ":") { return true }
    guard rest.starts(with: "//".utf8) else { return address.first == UInt8(ascii: "-") }
    return ![
      "http", "https", "ssh", "git", "file", "ftp", "ftps", "git+ssh", "ssh+git",
    ].contains(scheme)
  }

  /// Parts of the names of variables that name programs.
  private static let words = [
    "command", "cmd", "program", "helper", "driver", "hook", "exec", "script", "editor", "pager",
    "textconv", "browser", "tunnel", "smtpserver", "askpass", "filter",
  ]
  /// The variables of `http` that name no file, and change neither whom git trusts nor how it identifies itself.
  private static let plainForTransfers: Set<String> = [
    "extraheader", "lowspeedlimit", "lowspeedtime", "maxrequests", "minsessions", "noepsv",
    "postbuffer", "useragent", "version",
  ]
  /// Sections that only matter for a user's own commands.
  private static let forTerminals: Set<String> = [
    "browser", "difftool", "gui", "guitool", "imap", "instaweb", "interactive", "man", "mergetool",
    "sendemail", "trailer", "web",
  ]
  /// The variables that name no program, by section; all others in these sections count as programs.
  private static let harmless: [String: Set<String>] = [
    "core": [
      "abbrev", "alternaterefsprefixes", "attributesfile", "autocrlf", "bare", "bigfilethreshold",
      "checkroundtripencoding", "checkstat", "commentchar", "commentstring", "commitgraph",
      "compression", "createobject", "deltabasecachelimit", "disambiguate", "eol", "excludesfile",
      "filemode", "filesreflocktimeout", "fscache", "fsmonitorhookversion", "fsync", "fsyncmethod",
      "fsyncobjectfiles", "hidedotfiles", "ignorecase", "ignorestat", "lockfilepid",
      "logallrefupdates", "longpaths", "loosecompression", "maxtreedepth", "multipackindex",
      "notesref", "packedgitlimit", "packedgitwindowsize", "packedrefstimeout",
      "precomposeunicode", "prefersymlinkrefs", "preloadindex", "protecthfs", "protectntfs",
      "quotepath", "repositoryformatversion", "restrictinheritedhandles", "safecrlf",
      "sharedrepository", "sparsecheckout", "sparsecheckoutcone", "splitindex", "symlinks",
      "trustctime", "unsetenvvars", "untrackedcache", "usereplacerefs", "warnambiguousrefs",
      "whitespace", "worktree",
    ],
    "diff": [
      "algorithm", "autorefreshindex", "binary", "cachetextconv", "colormoved", "colormovedws",
      "context", "dirstat", "dstprefix", "guitool", "ignoresubmodules", "indentheuristic",
      "interhunkcontext", "mnemonicprefix", "nofollow", "noindex", "noprefix", "orderfile",
      "relative", "renamelimit", "renames", "srcprefix", "statgraphwidth", "statnamewidth",
      "submodule", "suppressblankempty", "tool", "trustexitcode", "wordregex", "wserrorhighlight",
      "xfuncname", "funcname",
    ],
    "merge": [
      "autoedit", "autostash", "branchdesc", "conflictstyle", "default", "defaulttoupstream",
      "directoryrenames", "ff", "guitool", "log", "renamelimit", "renames", "renormalize", "stat",
      "suppressdest", "tool", "verbosity", "verifysignatures",
    ],
    "remote": [
      "fetch", "followremotehead", "gh-resolved", "glab-resolved", "lfspushurl", "lfsurl", "mirror",
      "partialclonefilter", "promisor", "proxy", "proxyauthmethod", "prune", "prunetags", "push",
      "pushdefault", "puttykeyfile", "serveroption", "skipdefaultupdate", "skipfetchall", "tagopt",
    ],
    "credential": [
      "interactive", "protectprotocol", "provider", "sanitizeprompt", "usehttppath",
      "username",
    ],
    "gpg": ["allowedsignersfile", "format", "mintrustlevel", "revocationfile"],
    "submodule": [
      "active", "alternateerrorstrategy", "alternatelocation", "branch", "fetchjobs",
      "fetchrecursesubmodules", "gitdir", "ignore", "path", "propagatebranches", "recurse",
      "shallow", "url",
    ],
    "uploadpack": [
      "advertisebundleuris", "allowanysha1inwant", "allowfilter", "allowreachablesha1inwant",
      "allowrefinwant", "allowsidebandall", "allowtipsha1inwant", "hiderefs", "keepalive",
    ],
  ]
}
