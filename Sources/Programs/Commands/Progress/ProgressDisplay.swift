import Dispatch
import Foundation
import Synchronization

/// Shows how far a command is, on standard error: see ``ProgressWriter``.
///
/// Nothing is shown with `--json`. Call ``finish()`` before the command prints what it found.
package final class ProgressDisplay: Sendable {
  private let writer: Mutex<ProgressWriter>
  // Only created, and canceled at the end.
  private nonisolated(unsafe) let timer: (any DispatchSourceTimer)?
  private let start = ContinuousClock.now

  /// Creates a display for the terminal or the log of this process.
  ///
  /// - Parameter isHidden: Whether nothing is shown, as with `--json`.
  package convenience init(isHidden: Bool = false) {
    self.init(isHidden ? .hidden : Terminal.redrawsProgress ? .redrawn : .lines)
  }

  private init(_ style: ProgressWriter.Style) {
    writer = Mutex(ProgressWriter(style))
    guard style != .hidden else {
      timer = nil
      return
    }
    let timer = DispatchSource.makeTimerSource(queue: .global())
    self.timer = timer
    timer.schedule(deadline: .now() + 1, repeating: 1)
    timer.setEventHandler { [weak self] in self?.tick() }
    timer.resume()
  }

  deinit { timer?.cancel() }

  /// Shows how far a step is; another name begins another step.
  ///
  /// - Parameters:
  ///   - name: What is done: `reading stops.txt`.
  ///   - done: How much of it is done.
  ///   - total: All of it; 0 if that is not known.
  ///   - unit: What is counted.
  ///   - remark: What follows the numbers.
  package func show(
    _ name: String,
    done: Int = 0,
    total: Int = 0,
    unit: ProgressStep.Unit = .bytes,
    remark: String = ""
  ) {
    let columns = Terminal.progressColumns
    writer.withLock { writer in
      Terminal.complain(
        writer.show(
          name,
          done: done,
          total: total,
          unit: unit,
          remark: remark,
          at: now,
          columns: columns
        )
      )
    }
  }

  /// Removes what is shown; a later step shows again.
  package func finish() { writer.withLock { Terminal.complain($0.clear()) } }

  private func tick() {
    let columns = Terminal.progressColumns
    writer.withLock { Terminal.complain($0.tick(at: now, columns: columns)) }
  }

  private var now: Double { (ContinuousClock.now - start) / .seconds(1) }
}

/// Adds up the bytes of many files.
package final class ProgressSum: Sendable {
  private let display: ProgressDisplay
  private let name: String
  private let total: Int
  private let done = Mutex(0)

  /// Creates a sum of 0; a total of 0 is not known.
  package init(_ name: String, total: Int, _ display: ProgressDisplay) {
    self.display = display
    self.name = name
    self.total = total
  }

  /// Counts bytes that are done.
  package func add(_ bytes: Int) {
    let sum = done.withLock { done in
      done += bytes
      return done
    }
    // Files may grow while they are copied.
    display.show(name, done: total > 0 ? min(sum, total) : sum, total: total)
  }
}
