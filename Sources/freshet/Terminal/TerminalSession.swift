import Dispatch
import Foundation
import Synchronization

/// The terminal while a board has it: keys come one by one, the screen of before comes back at the end.
///
/// Whatever ends the program, the terminal is as it was: the normal way out, a signal, `exit`. Only a
/// `kill -9` leaves it to `reset`.
final class TerminalSession {
  /// What happens to the terminal.
  enum Happening: Sendable {
    /// Keys were pressed.
    case input([UInt8])
    /// The size is another, or the screen has to be drawn anew.
    case resized
    /// The program is to end.
    case ended
  }

  /// The settings of before; nothing while the terminal is as it was.
  private static let before = Mutex<termios?>(nil)
  private static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h\u{1B}[2J\u{1B}[H"
  private static let leave = "\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  private let sources: [any DispatchSourceProtocol]

  /// Takes the terminal over.
  ///
  /// - Parameter report: Is told what happens, on any thread.
  init(_ report: @escaping @Sendable (Happening) -> Void) {
    Self.takeOver()
    atexit { TerminalSession.giveBack() }
    var list: [any DispatchSourceProtocol] = []
    let ending = EndFlag()
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
      list.append(
        Self.source(number) {
          // Who asks twice does not want to wait for last words.
          if ending.raise() {
            TerminalSession.giveBack()
            _exit(128 + number)
          }
          report(.ended)
        }
      )
    }
    list.append(Self.source(SIGWINCH) { report(.resized) })
    list.append(
      Self.source(SIGTSTP) {
        // Stopped by the shell: the terminal belongs to the shell meanwhile.
        TerminalSession.giveBack()
        kill(getpid(), SIGSTOP)
      }
    )
    list.append(
      Self.source(SIGCONT) {
        TerminalSession.takeOver()
        report(.resized)
      }
    )
    if isatty(STDIN_FILENO) == 1 {
      let keys = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
      keys.setEventHandler {
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let count = bytes.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
        if count > 0 {
          report(.input(Array(bytes.prefix(count))))
        } else if count == 0 || errno != EINTR && errno != EAGAIN {
          report(.ended)
        }
      }
      keys.resume()
      list.append(keys)
    }
    sources = list
  }

  /// Gives the terminal back.
  func end() {
    for source in sources { source.cancel() }
    Self.giveBack()
  }

  private static func source(
    _ number: Int32,
    _ handle: @escaping @Sendable () -> Void
  ) -> any DispatchSourceProtocol {
    if number != SIGCONT, number != SIGWINCH { signal(number, SIG_IGN) }
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler(handler: handle)
    source.resume()
    return source
  }

  private static func takeOver() {
    before.withLock { before in
      guard before == nil else { return }
      var settings = termios()
      guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
        // Keys come from elsewhere; the screen is ours all the same.
        before = termios()
        Terminal.write(enter)
        return
      }
      before = settings
      settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
      tcsetattr(STDIN_FILENO, TCSANOW, &settings)
      Terminal.write(enter)
    }
  }

  private static func giveBack() {
    before.withLock { before in
      guard var settings = before else { return }
      before = nil
      if isatty(STDIN_FILENO) == 1 { tcsetattr(STDIN_FILENO, TCSANOW, &settings) }
      Terminal.write(leave)
    }
  }
}

/// Whether the end was asked for.
private final class EndFlag: Sendable {
  private let flag = Atomic(false)

  /// Raises the flag; tells whether it was raised before.
  func raise() -> Bool { flag.exchange(true, ordering: .relaxed) }
}
