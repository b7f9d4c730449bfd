import Commands
import Foundation
import Timetable

/// Shows the progress of an import on standard error: a bar on a terminal, a line per step
/// elsewhere.
final class ProgressPrinter {
  private let isBar: Bool
  private var step = ""
  private var isOpen = false
  private var lastDrawn = ContinuousClock.now

  init(isBar: Bool) { self.isBar = isBar }

  /// Shows progress; a bar is drawn at most ten times a second.
  func show(_ progress: ImportProgress) {
    let isNew = progress.step != step
    if isNew {
      finish()
      step = progress.step
      if !isBar { Terminal.complain("\(name(of: progress.step))\n") }
    }
    guard isBar else { return }
    let now = ContinuousClock.now
    let isDone = progress.total > 0 && progress.done >= progress.total
    guard isNew || isDone || now - lastDrawn > .milliseconds(100) else { return }
    lastDrawn = now
    isOpen = true
    Terminal.complain("\r" + line(progress) + "\u{1B}[K")
  }

  /// Ends the bar's line.
  func finish() {
    if isOpen { Terminal.complain("\n") }
    isOpen = false
  }

  private func line(_ progress: ImportProgress) -> String {
    let label = Terminal.fit(name(of: progress.step), 22)
    guard progress.total > 0 else { return label }
    let share = min(1, Double(progress.done) / Double(progress.total))
    let width = 30
    let filled = Int(share * Double(width))
    let bar =
      String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    let percent = Terminal.fit("\(Int(share * 100)) %", 6, atEnd: true)
    return "\(label) \(bar) \(percent)  \(Quantity.bytes(progress.done))"
  }

  private func name(of step: String) -> String {
    switch step {
    case "copy": "copying"
    case "compare": "comparing checksums"
    case "index": "ordering departures"
    case "write": "writing timetable"
    case "check": "checking timetable"
    case "search": "building stop search"
    case "store": "storing for all servers"
    default: "reading \(step)"
    }
  }
}
