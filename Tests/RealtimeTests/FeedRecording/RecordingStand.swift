import FeedRecording
import Foundation

/// A recording in a folder of its own.
struct RecordingStand {
  static let source = FeedRecording.Source(feed: .tripUpdates, address: "http://127.0.0.1/t.pb")
  static let alertSource = FeedRecording.Source(feed: .alerts, address: "http://127.0.0.1/a.pb")

  let folder: String
  var path: String { folder + "/recording" }

  init() throws {
    folder = NSTemporaryDirectory() + "feed-recording-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(atPath: folder) }

  /// The bytes of the file.
  var bytes: [UInt8] {
    get throws { Array(try Data(contentsOf: URL(filePath: path))) }
  }

  /// Puts other bytes into the file.
  func put(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: path)) }

  /// An answer at a second.
  static func answer(
    _ second: Int64,
    status: Int = 200,
    from source: FeedRecording.Source = source,
    failure: String = ""
  ) -> FeedRecording.Answer {
    FeedRecording.Answer(
      source: source,
      arrival: second * 1_000,
      duration: 120,
      status: status,
      fields: status == 200 ? [.init("ETag", "\"\(second)\""), .init("Date", "now")] : [],
      failure: failure
    )
  }

  /// Records a body, the same again, a 304, an error, another body, and one of the other feed.
  func fill() throws {
    let writer = try FeedRecording.Writer(path: path)
    try writer.append(Self.answer(10), body: Self.body(1))
    try writer.append(Self.answer(20), body: Self.body(1))
    try writer.append(Self.answer(30, status: 304), body: nil)
    try writer.append(Self.answer(40, status: 503), body: Array("busy".utf8))
    try writer.append(Self.answer(45, status: 0, failure: "no answer in time"), body: nil)
    try writer.append(Self.answer(50), body: Self.body(2))
    try writer.append(Self.answer(55, from: Self.alertSource), body: Self.body(3))
  }

  /// Some bytes.
  static func body(_ number: UInt8, count: Int = 300) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0) &* number }
  }
}
