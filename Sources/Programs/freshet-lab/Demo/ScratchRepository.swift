import Commands
import Demonstration
import Foundation

/// A repository with worktrees, for agents to work in.
struct ScratchRepository: Sendable {
  /// The folder with the repository and its worktrees.
  let root: String
  /// The worktrees, without the main one.
  let worktrees: [String]

  private let main: String
  private static let tasks = [
    "check-isbn", "scan-spines", "export-csv", "tidy-readme", "faster-search", "dark-mode",
    "undo-import", "fix-dates",
  ]

  /// Makes the repository.
  ///
  /// - Parameters:
  ///   - root: The folder, which is made.
  ///   - count: How many worktrees it gets.
  ///   - git: Runs git with arguments and waits for its end.
  /// - Throws: What `git` throws, and an error of the file system.
  init(in root: String, count: Int, git: ([String]) async throws -> Void) async throws {
    self.root = root
    let main = "\(root)/library"
    self.main = main
    let files = [
      "README.md": "# Library\n\nThe books of a household.\n",
      "isbn.py": "def is_valid(text):\n    return len(text) == 13\n",
      "export.py":
        "import csv\n\n\ndef export(books, file):\n    csv.writer(file).writerows(books)\n",
    ]
    try FileManager.default.createDirectory(atPath: main, withIntermediateDirectories: true)
    for (name, text) in files {
      try Data(text.utf8).write(to: URL(filePath: "\(main)/\(name)"))
    }
    try await git(["init", "--quiet", "--initial-branch", "main", main])
    try await git(["-C", main, "add", "."])
    try await git(["-C", main, "commit", "--quiet", "--message", "Begin"])
    var worktrees: [String] = []
    for number in 0..<count {
      let task = Self.tasks[number % Self.tasks.count]
      let name = number < Self.tasks.count ? task : "\(task)-\(number / Self.tasks.count + 1)"
      worktrees.append("\(root)/library.worktrees/\(name)")
      try await git(["-C", main, "worktree", "add", "--quiet", "-b", name, worktrees[number]])
    }
    self.worktrees = worktrees
  }

  /// Lets git wait forever in the repository, for a pipe in the place of the file of excludes; or puts the file back.
  func setHanging(_ hangs: Bool) throws {
    Self.release(in: root)
    let file = Self.excludes(in: root)
    try? FileManager.default.removeItem(atPath: file)
    guard hangs else { return try Data().write(to: URL(filePath: file)) }
    guard mkfifo(file, 0o600) == 0 else {
      throw CommandFailure("\(file): \(String(cString: strerror(errno)))", .cannotCreate)
    }
  }

  /// Lets every git continue that waits for the pipe: it reads the end of an empty file.
  static func release(in root: String) {
    let file = excludes(in: root)
    var status = stat()
    guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return }
    let pipe = open(file, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
    unlink(file)
    close(pipe)
  }

  private static func excludes(in root: String) -> String { "\(root)/library/.git/info/exclude" }
}
