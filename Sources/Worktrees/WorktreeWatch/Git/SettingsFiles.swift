package import Git
import Glibc
package import Workspaces

/// The files that determine how git sees a repository: configurations, the files they include, and global ignore and
/// attribute files.
package enum SettingsFiles {
  /// Identifies the state of each file; `nil` for a missing one.
  package typealias Stamps = NameTable<[Int]?>

  /// The files of a repository, existing or not, up to ``WatchLimits/settingsFiles``.
  ///
  /// - Parameters:
  ///   - settings: What git reads.
  ///   - common: The common directory.
  ///   - asked: The folder in which git was asked; `nil` for the common directory.
  ///   - home: The folder of the user.
  ///   - other: The folder of the user's configurations, if it is another than `.config` there.
  /// - Returns: Their absolute paths, each once.
  package static func paths(
    _ settings: GitSettings,
    of common: String,
    asked: String? = nil,
    home: String? = getenv("HOME").map { String(cString: $0) },
    other: String? = getenv("XDG_CONFIG_HOME").map { String(cString: $0) }
  ) -> [String] {
    func path(_ text: String, in folder: String) -> String? {
      var text = text
      if text.hasPrefix("~/") {
        guard let home else { return nil }
        text = HostFile.join(home, String(text.dropFirst(2)))
      }
      guard !text.isEmpty, !text.hasPrefix("~"), !text.hasPrefix("%(") else { return nil }
      while text.hasPrefix("./") { text.removeFirst(2) }
      return HostFile.join(folder, text)
    }
    func folder(of file: String) -> String {
      file.lastIndex(of: "/").map { String(file[..<$0]) } ?? common
    }
    var found = ["config", "info/exclude", "info/attributes"].map { HostFile.join(common, $0) }
    found += settings.files.compactMap { path($0, in: asked ?? common) }
    found += settings.included.compactMap { inclusion in
      path(inclusion.by, in: asked ?? common).flatMap { path(inclusion.path, in: folder(of: $0)) }
    }
    let user = [other, home.map { HostFile.join($0, ".config") }].compactMap(\.self).first {
      !$0.isEmpty
    }
    for (key, name) in [
      ("core.excludesfile", "git/ignore"), ("core.attributesfile", "git/attributes"),
    ] {
      let set = settings[key].flatMap { path($0, in: folder(of: common)) }
      if let file = set ?? user.map({ HostFile.join($0, name) }) { found.append(file) }
    }
    found += [
      home.map { HostFile.join($0, ".gitconfig") }, user.map { HostFile.join($0, "git/config") },
    ]
    .compactMap(\.self)
    var seen: NameSet = []
    return Array(found.filter { seen.insert($0).inserted }.prefix(WatchLimits.settingsFiles))
  }

  /// The stamps of files now.
  package static func stamps(_ paths: some Sequence<String>) -> Stamps {
    Stamps(paths.map { ($0, HostFile.stamp($0)) })
  }

  /// The folders that are watched for files, which may be links.
  package static func folders(_ paths: some Collection<String>) -> NameTable<WatchPlan.Place> {
    WatchFolders.folders(of: Array(paths) + paths.compactMap { HostFile.realPath($0) })
  }
}
