import Dispatch
import Foundation
import Synchronization

/// Takes over the terminal for a board: keys arrive one by one, and the previous screen is restored
/// at the end.
///
/// However the program ends, by itself, by a signal or by `exit`, the terminal is restored. Only
/// after `kill -9` is `reset` necessary.
package final class TerminalSession {
  /// An event of the terminal.
  package enum Happening: Sendable {
    /// Keys were pressed.
    case input([UInt8])
    /// The size changed, or the screen must be redrawn.
    case resized
    /// The program should end.
    case ended
  }

  /// The previous settings; `nil` while the terminal is unchanged.
  private static let before = Mutex<termios?>(nil)
  private static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h\u{1B}[2J\u{1B}[H"
  private static let leave = "\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  private let sources: [any DispatchSourceProtocol]

  /// Takes over the terminal.
  ///
  /// - Parameter report: Receives the events, on any thread.
  package init(_ report: @escaping @Sendable (Happening) -> Void) {
    atexit { TerminalSession.giveBack() }
    var list: [any DispatchSourceProtocol] = []
    let ending = EndFlag()
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
      list.append(
        SignalSource.make(number) {
          // A second request ends the program without waiting for its final output.
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
        // Stopped by the shell, which uses the terminal until the program continues.
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
    // Last: from now on, any end of the program restores the terminal.
    Self.takeOver()
  }

  /// Restores the terminal.
  package func end() {
    for source in sources { source.cancel() }
    Self.giveBack()
  }

  private static func takeOver() {
    before.withLock { before in
      guard before == nil else { return }
      var settings = termios()
      guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
        // Keys come from elsewhere; the screen is still ours.
        before = termios()
        Terminal.announce(enter)
        return
      }
      before = settings
      settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
      tcsetattr(STDIN_FILENO, TCSANOW, &settings)
      Terminal.announce(enter)
    }
  }

  /// Restores the previous settings; does nothing if they are in place.
  package static func giveBack() {
    before.withLock { before in
      guard var settings = before else { return }
      before = nil
      if isatty(STDIN_FILENO) == 1 { tcsetattr(STDIN_FILENO, TCSANOW, &settings) }
      Terminal.announce(leave)
    }
  }
}

/// Whether the end was requested.
private final class EndFlag: Sendable {
  private let flag = Atomic(false)

  /// Raises the flag; returns whether it was raised before.
  package func raise() -> Bool { flag.exchange(true, ordering: .relaxed) }
}
