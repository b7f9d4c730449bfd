import Commands
import FeedRecording
import GTFS

/// The messages of a recording.
enum RecordText {
  /// Returns one response as a line.
  static func line(
    _ answer: FeedRecording.Answer,
    _ entry: FeedRecording.Writer.Entry,
    _ count: Int64
  ) -> String {
    let clock = TimeOfDay.text(Int(answer.arrival / 1_000 % 86_400))
    let what: String
    if answer.status == 0 {
      what = answer.failure
    } else {
      switch entry {
      case .content: what = "\(answer.status) new"
      case .repetition: what = "\(answer.status) the same content"
      case .bare: what = answer.failure.isEmpty ? "\(answer.status)" : answer.failure
      }
    }
    return Terminal.plain(
      "\(clock)Z \(answer.source.feed.rawValue) \(what),"
        + " \(answer.duration) ms, file \(Quantity.bytes(Int(count)))"
    ) + "\n"
  }
}
