/// Distinguishes reproducible build products from other ignored files.
enum RemadeFolders {
  /// Names of folders that tools fill: dependencies, results of builds, caches.
  static let names: Set<String> = [
    ".build", ".cache", ".eggs", ".gradle", ".mypy_cache", ".next", ".nox", ".nuxt",
    ".parcel-cache", ".pytest_cache", ".ruff_cache", ".svelte-kit", ".tox", ".turbo", ".venv",
    "DerivedData", "__pycache__", "build", "dist", "node_modules", "target", "venv",
  ]
  /// Ends of names of files that tools make.
  static let ends = [".o", ".pyc", ".DS_Store"]

  /// Whether a path within a worktree lies in such a folder, or is one or such a file.
  ///
  /// - Parameter path: The path; a folder may end in a slash.
  /// - Returns: Whether it is made again.
  static func contains(_ path: String) -> Bool {
    path.split(separator: "/").contains { names.contains(String($0)) }
      || ends.contains { path.hasSuffix($0) }
  }

  /// Whether a folder says itself that it is a cache (Cache Directory Tagging Specification).
  static func isMarked(_ folder: String) -> Bool {
    HostFile.text(HostFile.join(folder, "CACHEDIR.TAG"))?
      .hasPrefix("Signature: 8a477f597d28d172789f06886806bc55") ?? false
  }
}
