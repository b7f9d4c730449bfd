import ConditionalHTTP
import Foundation
import HTTPTypes
import StrictJSON

/// The parts of the app that find books in photos.
///
/// A white photo has none; a server that cannot read it says so.
struct BooksTrackScans: Sendable {
  /// A photo with books in it; nothing for a white one.
  let photo: [UInt8]?

  private var content: [UInt8] { photo ?? BooksTrackContent.photo }

  /// One photo: the part of the app that reads the oldest members of messages.
  func playPhoto(_ run: ClientRun) async {
    let who = "scan"
    let chosen = BooksTrackContent.id
    let request = ClientRequest(
      .post,
      "/api/scan-bookshelf",
      query: [("jobId", chosen)],
      fields: [.contentType: "image/jpeg"],
      content: content,
      timeout: .seconds(70)
    )
    let answer = await run.step(who, request, expects: "202, a token and stages") { check, answer in
      guard check.status(202, of: answer) else { return }
      check.shape(BooksTrackShapes.scanStart, of: answer)
    }
    guard let value = answer?.value, let token = (value["authToken"] ?? value["token"])?.string
    else { return }
    let socket = ClientRequest(
      .get,
      "/ws/progress",
      query: [("jobId", chosen), ("token", token)],
      timeout: .seconds(60)
    )
    let isComplete = await run.step(
      who,
      "WebSocket /ws/progress?jobId=…&token=…, members in data",
      expects: "a result, or a status that says that it failed"
    ) { check in
      try await run.withSocket(socket) { socket in
        _ = try await socket.ping(within: .seconds(2))
        try await socket.send(#"{"timestamp":1732713000123.4,"type":"ready"}"#)
        return try await Self.result(socket, check)
      }
    }
    guard isComplete == true else { return }
    for path in ["/v1/scan/results/\(chosen)", "/v1/jobs/\(chosen)/results"] {
      await run.step(who, ClientRequest(.get, path), expects: "200 and a result") { check, answer in
        guard check.status(200, of: answer) else { return }
        let value = check.shape(
          BooksTrackShapes.envelope(BooksTrackShapes.scanResults),
          of: answer
        )
        judge(value?["data"]?["books"], check)
      }
    }
  }

  /// Whether the books of a photo are there, each with its place in the photo.
  private func judge(_ books: JSONValue?, _ check: StepCheck) {
    guard photo != nil else { return }
    let books = books?.list ?? []
    check.expect(!books.isEmpty, "books: expected those of the photo, found none")
    for (place, book) in books.enumerated() {
      let corners = ["x1", "y1", "x2", "y2"].map { book["boundingBox"]?[$0]?.double ?? -1 }
      check.expect(
        corners.allSatisfy { (0...1).contains($0) } && corners[0] < corners[2]
          && corners[1] < corners[3],
        "books[\(place)].boundingBox: expected two corners within the photo, found \(corners)"
      )
    }
  }

  /// Listens as the oldest part of the app: what it cannot read it passes, and it ends at a result or at a status with
  /// certain words.
  ///
  /// - Returns: Whether there is a result.
  private static func result(_ socket: ClientSocket, _ check: StepCheck) async throws -> Bool {
    while true {
      switch await socket.next(within: .seconds(70)) {
      case .text(let text):
        guard let value = ClientAnswer(head: .init(status: .ok), body: Array(text.utf8)).value,
          BooksTrackGeneration.older.faults(in: value).isEmpty, let data = value["data"],
          data["keepAlive"]?.bool != true
        else { continue }
        if data["result"]?.object != nil { return true }
        let status = data["currentStatus"]?.string?.lowercased() ?? ""
        if status.contains("error") || status.contains("fail") { return false }
      case .binary: continue
      case .closed(let close):
        check.fault("closed with \(close.code) before there was a result")
        return false
      case .silence:
        check.fault("no result for 70 s")
        return false
      }
    }
  }

  /// Several photos: the part of the app that sends no token and never says `ready`.
  func playPhotos(_ run: ClientRun) async {
    let who = "scan of photos"
    let id = BooksTrackContent.id
    let encoded = JSONValue.string(Data(content).base64EncodedString())
    let images = (0..<2).map { JSONValue.object(["index": .whole(Int64($0)), "data": encoded]) }
    let request = ClientRequest(
      .post,
      "/api/scan-bookshelf/batch",
      fields: [.contentType: "application/json"],
      content: JSONValue.object(["jobId": .string(id), "images": .list(images)]).bytes,
      timeout: .seconds(120)
    )
    await run.step(who, request, expects: "202 and how many photos") { check, answer in
      guard check.status(202, of: answer) else { return }
      let value = check.shape(BooksTrackShapes.photosStart, of: answer)
      check.expect(value?["totalPhotos"]?.int64 == 2, "totalPhotos is not 2")
    }
    let client = BooksTrackSocketClient(
      query: [("jobId", id)],
      pipeline: "ai_scan",
      generation: .full,
      ready: nil
    )
    await run.step(
      who,
      "WebSocket /ws/progress?jobId=…, without token and ready",
      expects: photo == nil ? "an end" : "a completion with the books of the photos"
    ) {
      check in
      guard case .completed(let payload) = try await client.follow(run, check) else {
        check.expect(photo == nil, "the scan failed")
        return
      }
      judge(payload["books"], check)
    }
    let cancel = ClientRequest(
      .post,
      "/api/scan-bookshelf/cancel",
      fields: [.contentType: "application/json"],
      content: JSONValue.object(["jobId": .string(id)]).bytes
    )
    await run.step(who, cancel, expects: "200") { check, answer in check.status(200, of: answer) }
  }
}
