import GTFSRealtime
import Synchronization

extension FeedRecording {
  /// Appends responses to a recording.
  ///
  /// Each record is written in one piece, in the order of the calls; a kill leaves at most one
  /// incomplete record. Nothing is flushed: written data survives the death of the process, but not
  /// that of the machine.
  package final class Writer: Sendable {
    /// How a response was written.
    package enum Entry: Hashable, Sendable {
      /// With its own body.
      case content
      /// With a reference to the previous body, which is equal.
      case repetition
      /// Without a body.
      case bare
    }

    private struct State {
      var end: Int64
      var sources: [Source]
      /// The last body of a success of each source.
      var last: [Source: (digest: FeedDigest, place: BodyPlace)] = [:]
    }

    private let file: RecordingFile
    private let state: Mutex<State>
    /// The incomplete record that was removed when the file was opened; `nil` if absent.
    package let tornTail: TornTail?

    /// Opens a recording to append to, or creates one.
    ///
    /// - Throws: ``Failure`` if the file cannot be written, is not a recording, is damaged, or is
    ///   in use by another recorder.
    package init(path: String) throws(Failure) {
      file = try RecordingFile(path, isWritable: true)
      let reader = try Reader(file)
      tornTail = reader.tornTail
      if tornTail != nil { try file.cut(at: reader.end) }
      var state = State(end: reader.end, sources: reader.sources)
      if state.end == 0 {
        var header = magic
        for word in [version, 0] {
          withUnsafeBytes(of: word.littleEndian) { header.append(contentsOf: $0) }
        }
        try file.write(header, at: 0)
        state.end = Int64(header.count)
      }
      for source in reader.sources {
        let last = reader.answers(source.feed).last {
          $0.source == source && $0.isSuccess && $0.body != nil
        }
        guard let last, let place = last.body else { continue }
        let body = try reader.body(of: last)
        state.last[source] = (FeedDigest(body), place)
      }
      self.state = Mutex(state)
    }

    /// The length of the file in bytes.
    package var count: Int64 { state.withLock { $0.end } }

    /// Appends a response.
    ///
    /// - Parameters:
    ///   - answer: The response; ``Answer/body`` is set by this call.
    ///   - body: The content; `nil` without content. A 304 gets the last body of a success of its
    ///     source.
    /// - Returns: How it was written.
    /// - Throws: ``Failure`` if it cannot be written; the file is then unchanged.
    @discardableResult
    package func append(_ answer: Answer, body: [UInt8]?) throws(Failure) -> Entry {
      let result = state.withLock { state in
        Result { () throws(Failure) in try append(answer, body: body, &state) }
      }
      return try result.get()
    }

    private func append(
      _ answer: Answer,
      body: [UInt8]?,
      _ state: inout State
    ) throws(Failure) -> Entry {
      var answer = answer
      var body = body
      if let count = body?.count, count > Limits.bodyBytes {
        answer.failure = "the body has \(count) bytes; the most is \(Limits.bodyBytes)"
        body = nil
      }
      let number = try self.number(of: answer.source, &state)
      var entry = Entry.bare
      answer.body = answer.status == 304 ? state.last[answer.source]?.place : nil
      if let body {
        let digest = FeedDigest(body)
        if let last = state.last[answer.source], last.digest == digest, answer.isSuccess {
          answer.body = last.place
          entry = .repetition
        } else {
          let place = BodyPlace(offset: state.end, count: body.count)
          try write([RecordKind.body.rawValue] + body, &state)
          if answer.isSuccess { state.last[answer.source] = (digest, place) }
          answer.body = place
          entry = .content
        }
      }
      var record = RecordBytes(.answer)
      record.number(number)
      record.number(answer.arrival)
      record.number(answer.duration)
      record.number(UInt16(clamping: answer.status))
      record.number(answer.body?.offset ?? 0)
      record.text(answer.failure, limit: Limits.textBytes)
      let fields = answer.fields.prefix(Limits.fields)
      record.number(UInt8(fields.count))
      for field in fields {
        record.text(field.name, limit: Limits.textBytes)
        record.text(field.value, limit: Limits.textBytes)
      }
      try write(record.bytes, &state)
      return entry
    }

    private func number(of source: Source, _ state: inout State) throws(Failure) -> UInt16 {
      if let known = state.sources.firstIndex(of: source) { return UInt16(known) }
      guard state.sources.count < Limits.sources else {
        throw Failure(.limitExceeded, file.path, "has \(Limits.sources) sources already")
      }
      guard source.address.utf8.count <= Limits.addressBytes else {
        throw Failure(
          .limitExceeded,
          file.path,
          "an address of \(source.address.utf8.count) bytes; the most is \(Limits.addressBytes)"
        )
      }
      var record = RecordBytes(.source)
      record.number(UInt16(state.sources.count))
      record.text(source.feed.rawValue, limit: Limits.textBytes)
      record.text(source.address, limit: Limits.addressBytes)
      try write(record.bytes, &state)
      state.sources.append(source)
      return UInt16(state.sources.count - 1)
    }

    private func write(_ payload: [UInt8], _ state: inout State) throws(Failure) {
      let length = UInt32(payload.count)
      var record: [UInt8] = []
      record.reserveCapacity(recordHeaderBytes + payload.count)
      let digest = FeedDigest(payload)
      withUnsafeBytes(of: length.littleEndian) { record.append(contentsOf: $0) }
      withUnsafeBytes(of: (~length).littleEndian) { record.append(contentsOf: $0) }
      withUnsafeBytes(of: digest.hash.littleEndian) { record.append(contentsOf: $0) }
      record.append(contentsOf: payload)
      try file.write(record, at: state.end)
      state.end += Int64(record.count)
    }
  }
}
