import Commands
import Timetable

/// Shows on a terminal how many bytes of many files are done.
final class FilesProgress {
  private let printer: ProgressPrinter?
  private let step: String
  private let total: Int
  private var done = 0

  init(_ step: String, total: Int) {
    self.step = step
    self.total = total
    printer = Terminal.showsProgress ? ProgressPrinter(isBar: true) : nil
  }

  /// Counts bytes that are done.
  func add(_ bytes: Int) {
    done += bytes
    printer?.show(ImportProgress(step: step, done: min(done, total), total: total))
  }

  /// Ends the line of the bar.
  func finish() { printer?.finish() }
}
