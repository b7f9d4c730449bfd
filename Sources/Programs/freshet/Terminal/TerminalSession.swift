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
    atexit { TerminalSession.giveBack() }
    var list: [any DispatchSourceProtocol] = []
    let ending = EndFlag()
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
      list.append(
        SignalSource.make(number) {
          // Who asks twice does not want to wait for last words.
          if ending.raise() {
            TerminalSession.giveBack()
            _exit(128 + number)
          }
          report(.ended)
        }
      )
    }
    list.append(SignalSource.make(SIGWINCH) { report(.resized) })
    list.append(
      SignalSource.make(SIGTSTP) {
        // Stopped by the shell: the terminal belongs to the shell meanwhile.
        TerminalSession.giveBack()
        kill(getpid(), SIGSTOP)
      }
    )
    list.append(
      SignalSource.make(SIGCONT) {
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
    // Last: whatever ends the program now gives the terminal back.
    Self.takeOver()
  }

  /// Gives the terminal back.
  func end() {
    for source in sources { source.cancel() }
    Self.giveBack()
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

  /// Makes the terminal as it was; does nothing if it is.
  static func giveBack() {
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
