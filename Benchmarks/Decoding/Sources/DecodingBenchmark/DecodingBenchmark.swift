import Foundation
import Jobs
import StrictJSON
import TolerantDecoding

// Decodes the same messages with JobMessageReader and with JSONDecoder; prints JSON: microseconds of
// processor time for each, the least of many rounds, taken in turns.

struct Envelope<Payload: Codable>: Codable {
  var type: String
  var jobId: String
  var pipeline: String
  var timestamp: Int64
  var version: String
  var payload: Payload
}

struct ProgressPayload: Codable {
  var type: String
  var progress: Double
  var status: String
  var processedCount: Int?
  var totalCount: Int?
  var currentItem: String?
}

struct SummaryPayload: Codable {
  struct Summary: Codable {
    var totalProcessed: Int
    var successCount: Int
    var failureCount: Int
    var duration: Int
    var resourceId: String?
  }
  var type: String
  var pipeline: String
  var summary: Summary
  var expiresAt: String?
}

struct FullPayload: Codable {
  struct Book: Codable {
    var title: String
    var author: String
    var isbn: String?
  }
  struct Failure: Codable {
    var title: String
    var error: String
  }
  var books: [Book]
  var errors: [Failure]
  var successRate: String
}

@main struct DecodingBenchmark {
  static let rounds = 25

  static func main() throws {
    var completion = JobCompletion(duration: 349, expiresAt: 1_763_783_391_876)
    completion.add([.imported: 1_900, .failed: 100])
    let items = (0..<2_000).map { number in
      JobItem(
        number: number,
        outcome: number % 20 == 3 ? .failed : .imported,
        problems: number % 20 == 3
          ? [.init(code: "isbn", message: "the check digit is wrong")] : [],
        value: .object([
          "title": .string("The Collected Works, Volume \(number)"),
          "author": .string("Émile Zola"),
          "isbn": .string("978000000\(1_000 + number)"),
        ])
      )
    }
    let position = EventPosition(epoch: 1, seq: 12)
    let progress = JobProgress(
      fraction: 0.437,
      processed: 437,
      total: 1_000,
      phase: "importing",
      current: "The Collected Works",
      sentence: "importing: 437 of 1000"
    )
    func bytes(_ body: JobEvent.Body, _ version: WireVersion) -> [UInt8] {
      let event = JobEvent(position: position, at: 1_763_696_991_876, body: body)
      return JobMessageWriter(job: UUID().uuidString, pipeline: .csvImport, version: version)
        .message(event, items: items).bytes
    }
    try compare(
      "progress",
      bytes(.progress(progress), .newest),
      Envelope<ProgressPayload>.self,
      1_000
    )
    try compare(
      "summary",
      bytes(.ended(completion), .newest),
      Envelope<SummaryPayload>.self,
      1_000
    )
    try compare("2,000 books", bytes(.ended(completion), .v1), Envelope<FullPayload>.self, 3)
  }

  static func compare<Model: Decodable>(
    _ name: String,
    _ bytes: [UInt8],
    _ type: Model.Type,
    _ count: Int
  ) throws {
    let reader = JobMessageReader()
    let decoder = JSONDecoder()
    let data = Data(bytes)
    var ours = Double.infinity
    var theirs = Double.infinity
    for _ in 0..<rounds {
      ours = min(
        ours,
        time(count) {
          if case .unreadable = reader.message(bytes).body { fatalError("not a message") }
        }
      )
      theirs = min(theirs, try time(count) { _ = try decoder.decode(type, from: data) })
    }
    print(
      #"{"name":"\#(name)","bytes":\#(bytes.count),"reader_us":\#(ours),"json_decoder_us":\#(theirs)}"#
    )
  }

  /// Processor time, since others may use the machine at the same time.
  static func time(_ count: Int, _ work: () throws -> Void) rethrows -> Double {
    let start = clock()
    for _ in 0..<count { try work() }
    return Double(clock() - start) * 1e6 / Double(CLOCKS_PER_SEC) / Double(count)
  }
}
