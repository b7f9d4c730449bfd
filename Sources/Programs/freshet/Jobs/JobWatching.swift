import ArgumentParser
import Commands
import Foundation
import Jobs
import JobsClient
import StrictJSON
import TolerantDecoding

/// Follows a job on the terminal: as a progress bar, as lines without a terminal, or as JSON
/// messages.
struct JobWatching {
  /// The number of failed items that are listed at the end.
  private static let named = 5
  /// The parts of a job that has no number of items.
  private static let parts = 1_000

  let client: JobClient
  let entry: TokenStore.Entry
  let tokenStore: TokenStore
  let isJSON: Bool

  /// Follows the job to its end, and prints the result.
  ///
  /// - Throws: `ExitCode` 1 for a job that did not succeed; ``CommandFailure``.
  func run() async throws {
    var entry = entry
    var last = ""
    var drawn = 0.0
    var counted: JobProgress?
    // Without a terminal it writes lines of its own.
    let display = ProgressDisplay(isHidden: isJSON || !Terminal.redrawsProgress)
    defer { display.finish() }
    for await update in client.follow(entry.credential) {
      switch update {
      case .message(let message):
        if isJSON {
          Terminal.write(String(decoding: message.raw.bytes, as: UTF8.self) + "\n")
        } else if let progress = Self.progress(message), progress.fraction >= drawn {
          // After a lost connection, events from before the state follow it: they are known
          // already.
          drawn = progress.fraction
          if progress.total != nil { counted = progress }
          show(progress, on: display, &last)
        }
      case .credential(let credential):
        entry.credential = credential
        try tokenStore.keep(entry)
      case .transport(let transport):
        note("following by \(Self.name(transport))", display, &last)
      case .interrupted:
        note("the connection is gone; trying again", display, &last)
      case .finished(let ending):
        display.finish()
        return try await finish(ending, counted, entry.credential)
      }
    }
    throw ExitCode(.temporary)
  }

  private static func progress(_ message: JobMessage) -> JobProgress? {
    switch message.body {
    case .progress(let progress): progress
    case .snapshot(let report): report.progress
    default: nil
    }
  }

  private static func name(_ transport: JobFollower.Transport) -> String {
    switch transport {
    case .webSocket: "WebSocket"
    case .eventStream: "server-sent events"
    case .polling: "polling"
    }
  }

  /// Returns the share by its numbers; the server's also counts the work before and after them.
  static func share(_ progress: JobProgress) -> Double {
    guard let total = progress.total, total > 0, let processed = progress.processed else {
      return progress.fraction
    }
    return min(max(Double(processed) / Double(total), 0), 1)
  }

  private func show(
    _ progress: JobProgress,
    on display: ProgressDisplay,
    _ last: inout String
  ) {
    let share = Self.share(progress)
    let sentence = Terminal.plain(progress.sentence)
    guard Terminal.redrawsProgress else {
      let percent = Int(share * 100)
      let line = "\(percent / 10 * 10) % \(sentence.prefix { $0 != ":" })"
      if line != last { Terminal.complain("\(percent) % \(sentence)\n") }
      last = line
      return
    }
    let name = sentence.prefix { $0 != ":" }
    let remark = progress.current ?? ""
    if let total = progress.total, total > 0, let processed = progress.processed {
      display.show(
        String(name),
        done: min(processed, total),
        total: total,
        unit: .items("items"),
        remark: remark
      )
    } else {
      let done = Int(share * Double(Self.parts))
      display.show(String(name), done: done, total: Self.parts, unit: .share, remark: remark)
    }
  }

  private func note(_ text: String, _ display: ProgressDisplay, _ last: inout String) {
    guard !isJSON, text != last else { return }
    display.finish()
    Terminal.complain("  \(text)\n")
    last = text
  }

  private func finish(
    _ ending: JobFollower.Ending,
    _ counted: JobProgress?,
    _ credential: JobCredential
  ) async throws {
    guard case .ended(let completion) = ending else {
      throw CommandFailure(
        "freshet jobs: \(Self.text(ending))",
        ending == .unauthorized ? .noPermission : .noInput
      )
    }
    if !isJSON {
      Terminal.write(JobText.ended(completion, job: credential.job, counted: counted))
      if (completion.failures ?? 0) > 0 {
        let page = try await client.results(credential, outcome: .failed, limit: Self.named)
        for result in page.items.elements { Terminal.write("  " + JobText.line(result) + "\n") }
        let rest = (completion.failures ?? 0) - page.items.elements.count
        if rest > 0 { Terminal.write("  and \(Quantity.count(rest)) more\n") }
      }
    }
    if completion.ending != .known(.succeeded) { throw ExitCode(.negative) }
  }

  private static func text(_ ending: JobFollower.Ending) -> String {
    switch ending {
    case .ended: "over"
    case .unknownJob: "the server knows no such job"
    case .expired: "the results of this job are gone"
    case .unauthorized: "the token is not good any more"
    }
  }
}

/// Jobs and results as text.
enum JobText {
  /// Returns how a job ended, with its numbers if there are any.
  ///
  /// - Parameters:
  ///   - completion: How it ended.
  ///   - job: The job's id.
  ///   - counted: The last progress received.
  /// - Returns: Lines with line ends.
  static func ended(_ completion: JobCompletion, job: String, counted: JobProgress?) -> String {
    var text = "\(job.prefix(8)) \(Terminal.plain(completion.ending.rawValue))"
    if let total = completion.total, total > 0 {
      if let duration = completion.duration { text += " in \(Double(duration / 10) / 100) s" }
      let successes = Quantity.count(completion.successes ?? 0)
      if completion.isPartial, let all = counted?.total {
        let done = Quantity.count(max(counted?.processed ?? 0, total))
        text += " after \(done) of \(Quantity.count(all)): \(successes) succeeded"
      } else {
        text += ": \(successes) of \(Quantity.count(total)) succeeded"
      }
    }
    text += "\n"
    for (name, count) in completion.counts.sorted(by: { $0.key < $1.key }) where count > 0 {
      text += "  \(Terminal.plain(name).replacing("_", with: " ")): \(Quantity.count(count))\n"
    }
    if let failure = completion.failure {
      text += "  \(Terminal.plain(failure.message)) (\(Terminal.plain(failure.code)))\n"
    }
    return text
  }

  /// Returns one result on a line.
  static func line(_ result: JobResult) -> String {
    let place = result.line.map { "line \($0)" } ?? "item \(result.number + 1)"
    let title = Terminal.plain(result.book?.title ?? "")
    let author = Terminal.plain(result.book?.authors.joined(separator: ", ") ?? "")
    let isbn = Terminal.plain(result.book?.isbns.first ?? "")
    let problems = result.problems.map { Terminal.plain($0.message) }.joined(separator: "; ")
    return [place, Terminal.plain(result.outcome.rawValue), title, author, isbn, problems]
      .filter { !$0.isEmpty }.joined(separator: " · ")
  }
}
