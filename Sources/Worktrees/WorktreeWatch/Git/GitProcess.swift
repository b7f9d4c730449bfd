import CProcess
import Glibc
import Synchronization

/// One git process, followed until it has ended.
///
/// Reading its output, waiting for its end and counting its time are one loop on one thread, so that no descriptor
/// outlives it, however it ends.
final class GitProcess: Sendable {
  /// The parameters of a process.
  struct Start: Sendable {
    /// The program's path.
    var path: String
    /// Its arguments, the name first.
    var arguments: [String]
    /// `NAME=value` in bytes, as names in a configuration need not be UTF-8.
    var environment: [[UInt8]]
    /// The folder it runs in.
    var folder: String
    /// Its standard input, if any.
    var input: [UInt8]?
    /// Rules of the kernel; the caller closes them.
    var rules: Int32 = -1
    /// How long it may take, in seconds.
    var timeout: Double
    /// How long it may take to end after a signal, before it is killed, in seconds.
    var grace = 0.0
    /// The most bytes of private writable memory of it and of each process that it starts; 0 for no limit.
    var memory = 0
    /// Takes the output as it comes; without it the output is in the answer.
    var chunk: (@Sendable ([UInt8]) throws -> Void)?
  }

  private struct State {
    var process: pid_t?
    var isCanceled = false
  }

  private let start: Start
  private let state = Mutex(State())

  /// Prepares a process.
  init(_ start: Start) { self.start = start }

  /// Whether it changes something, and so has time to end after a signal.
  var changesSomething: Bool { start.grace > 0 }

  /// Starts it on a thread of its own and waits for its end.
  ///
  /// - Throws: ``GitRunner/Failure``; `CancellationError` if the task is canceled, which ends the process.
  func run() async throws -> GitRunner.Answer {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isStarted = HostThread.start {
          continuation.resume(with: Result { try self.follow() })
        }
        if !isStarted {
          continuation.resume(
            throwing: GitRunner.Failure.notStarted("there is no room for a thread")
          )
        }
      }
    } onCancel: {
      end()
    }
  }

  /// Ends it: it is signaled, and killed after its grace.
  func end() {
    state.withLock { state in
      state.isCanceled = true
      Self.signal(state.process, start.grace > 0 ? SIGTERM : SIGKILL)
    }
  }

  /// Starts it and follows it on this thread.
  ///
  /// - Throws: ``GitRunner/Failure``, `CancellationError`, what ``Start/chunk`` throws.
  func follow() throws -> GitRunner.Answer {
    var output = Pipe()
    var complaint = Pipe()
    defer {
      output.close()
      complaint.close()
    }
    try output.open()
    try complaint.open()
    let process = try spawn(output.write, complaint.write)
    output.closeWrite()
    complaint.closeWrite()
    let ended = process_descriptor(process)
    defer { if ended >= 0 { close(ended) } }
    let result = Result { try collect(output.read, complaint.read, ended, process) }
    switch result {
    case .success:
      // It has obeyed the signal; a program that it started may not have.
      if state.withLock(\.isCanceled) { Self.signal(process, SIGKILL) }
    case .failure:
      if start.grace > 0 {
        // A command that changes something removes its locks when it is signaled.
        Self.signal(process, SIGTERM)
        var events = [pollfd(fd: ended, events: Int16(POLLIN), revents: 0)]
        if ended >= 0 { _ = poll(&events, 1, Int32(start.grace * 1_000)) }
      }
      Self.signal(process, SIGKILL)
    }
    process_wait(process)
    // From here on nothing is sent to the number, which may be another's.
    let (code, isCanceled) = state.withLock { state in
      state.process = nil
      return (process_reap(process), state.isCanceled)
    }
    if isCanceled { throw CancellationError() }
    var answer = try result.get()
    answer.code = code
    return answer
  }

  private func spawn(_ output: Int32, _ complaint: Int32) throws -> pid_t {
    let file = try start.input.map { try GitInput($0) }
    defer { file?.close() }
    let nothing = file == nil ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1
    defer { if nothing >= 0 { close(nothing) } }
    let arguments = CStrings(start.arguments.map { Array($0.utf8) })
    let environment = CStrings(start.environment)
    defer {
      arguments.free()
      environment.free()
    }
    var process: pid_t = 0
    let failure = start.path.withCString { path in
      start.folder.withCString { folder in
        var request = process_start(
          path: path,
          arguments: arguments.pointer,
          environment: environment.pointer,
          folder: folder,
          input: file?.descriptor ?? nothing,
          output: output,
          error: complaint,
          rules: start.rules,
          data: UInt64(start.memory)
        )
        return process_spawn(&request, &process)
      }
    }
    guard failure == 0 else {
      throw GitRunner.Failure.notStarted(
        "\(start.path) in \(start.folder): \(String(cString: strerror(failure)))"
      )
    }
    state.withLock { state in
      state.process = process
      if state.isCanceled { Self.signal(process, SIGKILL) }
    }
    return process
  }

  /// Reads until the process has ended and everything it wrote is read.
  private func collect(
    _ output: Int32,
    _ complaint: Int32,
    _ ended: Int32,
    _ process: pid_t
  ) throws -> GitRunner.Answer {
    let command = GitRunner.command(start.arguments.dropFirst())
    let deadline = WatchClock.monotonic + start.timeout
    var answer = GitRunner.Answer(output: [], complaint: "", code: 0)
    var (count, words) = (0, [UInt8]())
    var room = [UInt8](repeating: 0, count: 64 << 10)
    var open = [
      pollfd(fd: output, events: Int16(POLLIN), revents: 0),
      pollfd(fd: complaint, events: Int16(POLLIN), revents: 0),
      pollfd(fd: ended, events: Int16(POLLIN), revents: 0),
    ]
    var (nextCheck, waits) = (WatchClock.monotonic + WatchLimits.pipeCheck, 0)
    while open[0].fd >= 0 || open[1].fd >= 0 {
      let rest = deadline - WatchClock.monotonic
      guard rest > 0 else { throw GitRunner.Failure.timeout(command, seconds: start.timeout) }
      if state.withLock({ $0.isCanceled }) { throw CancellationError() }
      if WatchClock.monotonic >= nextCheck {
        nextCheck = WatchClock.monotonic + WatchLimits.pipeCheck
        waits = PipeWait.isWaiting(process) ? waits + 1 : 0
        guard waits < 2 else {
          throw GitRunner.Failure.unreadable(
            "git \(command) in \(start.folder) waits for a pipe that is in the place of a file"
          )
        }
      }
      let ready = poll(&open, 3, Int32(min(rest, WatchLimits.pipeCheck) * 1_000 + 1))
      if ready < 0, errno != EINTR { break }
      guard ready > 0 else { continue }
      // All its output has been written when it has ended; child processes may hold the pipes for
      // longer.
      let isEnd = open[2].revents != 0
      for place in 0..<2 where open[place].fd >= 0 {
        repeat {
          let length = read(open[place].fd, &room, room.count)
          if length < 0, errno == EINTR { continue }
          if length < 0, errno == EAGAIN { break }
          guard length > 0 else {
            open[place].fd = -1
            break
          }
          if place == 1 {
            words += room[..<length].prefix(max(0, WatchLimits.complaintBytes - words.count))
            continue
          }
          count += length
          guard count <= WatchLimits.outputBytes else { throw GitRunner.Failure.tooMuch(command) }
          if let chunk = start.chunk {
            try chunk(Array(room[..<length]))
          } else {
            answer.output += room[..<length]
          }
        } while isEnd
      }
      if isEnd { break }
    }
    if ended < 0 || open[2].revents == 0 {
      // It has closed its output and still runs.
      var last = [pollfd(fd: ended, events: Int16(POLLIN), revents: 0)]
      let rest = deadline - WatchClock.monotonic
      if ended >= 0, poll(&last, 1, Int32(max(0, min(rest * 1_000 + 1, 1e6)))) == 0 {
        throw GitRunner.Failure.timeout(command, seconds: start.timeout)
      }
    }
    answer.complaint = String(decoding: words, as: UTF8.self)
    return answer
  }

  /// Sends a signal to a process and what it started in its group.
  private static func signal(_ process: pid_t?, _ number: Int32) {
    if let process { kill(-process, number) }
  }

  /// A pipe from the process.
  private struct Pipe {
    var read: Int32 = -1
    var write: Int32 = -1

    mutating func open() throws(GitRunner.Failure) {
      let failure = process_pipe(&read, &write)
      guard failure == 0 else {
        throw .notStarted("no pipe: \(String(cString: strerror(failure)))")
      }
      _ = fcntl(read, F_SETFL, O_NONBLOCK)
    }

    mutating func closeWrite() {
      if write >= 0 { Glibc.close(write) }
      write = -1
    }

    mutating func close() {
      closeWrite()
      if read >= 0 { Glibc.close(read) }
      read = -1
    }
  }

  /// Texts as C wants them.
  private struct CStrings {
    let pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ texts: [[UInt8]]) {
      count = texts.count
      pointer = .allocate(capacity: count + 1)
      for (place, text) in texts.enumerated() {
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.count + 1)
        for (index, byte) in text.enumerated() { copy[index] = CChar(bitPattern: byte) }
        copy[text.count] = 0
        (pointer + place).initialize(to: copy)
      }
      (pointer + count).initialize(to: nil)
    }

    func free() {
      for place in 0..<count { pointer[place]?.deallocate() }
      pointer.deallocate()
    }
  }
}
