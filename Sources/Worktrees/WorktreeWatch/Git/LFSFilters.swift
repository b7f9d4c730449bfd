import Git
import Glibc

/// Lets git run git-lfs without a shell.
///
/// Git gives a command with arguments to a shell. A shell that may be executed runs any other command too, as the
/// configuration of a submodule names it, or one that is written after the configuration was read. So git is given the path
/// of a script for each command, whose interpreter is git-lfs with the argument in question; the kernel starts that by itself.
struct LFSFilters: Sendable {
  /// What is to be executed.
  let executables: [String]
  /// The settings that git gets.
  let settings: [ConfiguredPrograms.Setting]
  /// Whether a shell may be executed after all, as git-lfs cannot be started otherwise.
  let needsShell: Bool
  private let scripts: TemporaryFolder?

  /// Prepares the commands for one start of git.
  ///
  /// - Parameters:
  ///   - programs: The programs of the repository and the person.
  ///   - folders: Where programs are, as in `PATH`.
  /// - Throws: ``GitRunner/Failure`` if the scripts cannot be written.
  init(_ programs: ConfiguredPrograms, in folders: String?) throws(GitRunner.Failure) {
    guard let program = ProgramFile.find("git-lfs", in: folders) else {
      (self.executables, self.settings, needsShell, self.scripts) = ([], [], false, nil)
      return
    }
    let scripts = try TemporaryFolder()
    guard !program.isScript, Self.isPlain(program.path), Self.isPlain(scripts.path),
      Self.mayExecute(in: scripts.path)
    else {
      scripts.remove()
      let shell = ProgramFile("/bin/sh")
      executables = program.executables + (shell?.executables ?? []) + ["/bin/sh"]
      (self.settings, needsShell, self.scripts) = ([], true, nil)
      return
    }
    var settings: [ConfiguredPrograms.Setting] = []
    var made: [String] = []
    for (variable, argument) in [
      ("clean", "clean"), ("smudge", "smudge"), ("process", "filter-process"),
    ] {
      let names = programs.lfsFilters(variable)
      guard !names.isEmpty else { continue }
      let script = HostFile.join(scripts.path, variable)
      guard Self.write("#!\(program.path) \(argument)\n", to: script) else {
        scripts.remove()
        throw .notStarted("\(script) cannot be written: \(String(cString: strerror(errno)))")
      }
      made.append(script)
      for name in names {
        settings.append(
          ConfiguredPrograms.Setting(
            Array("filter.".utf8) + name + Array(".\(variable)".utf8),
            Array(script.utf8)
          )
        )
      }
    }
    executables = program.executables + made
    self.settings = settings
    needsShell = false
    self.scripts = scripts
  }

  /// Removes the scripts.
  func remove() { scripts?.remove() }

  /// Whether neither git nor the kernel sees anything in a path but a path.
  private static func isPlain(_ path: String) -> Bool {
    path.utf8.count <= 100
      && path.utf8.allSatisfy { byte in
        (0x2D...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte) || byte == 0x5F || byte == 0x2B
      }
  }

  private static func mayExecute(in folder: String) -> Bool {
    // ST_NOEXEC of statvfs(3).
    let noExecution: UInt = 8
    var facts = statvfs()
    return statvfs(folder, &facts) == 0 && facts.f_flag & noExecution == 0
  }

  private static func write(_ text: String, to path: String) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o700)
    guard descriptor >= 0 else { return false }
    let bytes = Array(text.utf8)
    let count = Glibc.write(descriptor, bytes, bytes.count)
    close(descriptor)
    return count == bytes.count
  }
}
