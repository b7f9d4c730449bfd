/// Cuts UTF-8 text into records and fields (RFC 4180, and what exports really write).
///
/// The text is fed in pieces of any size. Understood: quoted fields with doubled quotes and line breaks,
/// CRLF, LF and CR, whitespace around quotes, a last line without an end. A quote in the middle of a field
/// is a quote. Inside a quoted field a quote ends it only if the delimiter, a line end or the end of the
/// text follows; another one is part of the field and makes the record a repaired one.
///
/// A quote that is never closed must not swallow the rows below it. That has happened if a record has no end; if a
/// record of several lines has stray quotes and not as many fields as the header; or if one of its stray quotes is at
/// the start of a field on a later line. Then the first line is read again on its own, with unclosed quotes taken as
/// text. If that gives as many fields as the header has, it is the record; otherwise the line alone is reported as
/// faulty. Reading continues with the next line.
package struct DelimitedReader: Sendable {
  /// The byte between fields.
  package let delimiter: UInt8
  /// How many fields the header has; set after it has been read.
  package var columns: Int?

  private let limits: ImportLimits
  private var buffer: [UInt8] = []
  private var start = 0
  private var isFinished = false
  private var isSkipping = false
  private var nextLine = 1
  private var fields: [DelimitedRecord.Field] = []
  private var hasStrayQuote = false
  private var hasSwallowed = false

  /// Starts a text.
  package init(delimiter: UInt8, limits: ImportLimits = ImportLimits()) {
    self.delimiter = delimiter
    self.limits = limits
  }

  /// Takes the next bytes of the text.
  package mutating func feed(_ bytes: some Collection<UInt8>) {
    if start > 0 {
      buffer.removeSubrange(..<start)
      start = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// Says that nothing follows.
  package mutating func finish() { isFinished = true }

  /// The next record.
  ///
  /// - Returns: The record; `nil` if more text is needed, or the text has ended.
  package mutating func next() -> DelimitedRecord? {
    if isSkipping, !skipsRest() { return nil }
    guard start < buffer.count else { return nil }
    let isFull = isFinished || buffer.count - start > limits.recordBytes + 1
    switch scan(upTo: buffer.count, isWhole: isFinished) {
    case .record(let end, let after, let lines) where end - start <= limits.recordBytes:
      guard lines > 1, let columns, hasStrayQuote, fields.count != columns || hasSwallowed else {
        return finishRecord(end: end, after: after, lines: lines)
      }
      return firstLine()
    case .record(let end, let after, 1):
      return finishRecord(end: end, after: after, lines: 1, fault: .tooLong)
    case .needsMore where !isFull: return nil
    case .record, .needsMore: return firstLine()
    }
  }

  private enum Scan {
    /// A record: where its text ends, where the next begins, and its number of lines.
    case record(end: Int, after: Int, lines: Int)
    case needsMore
  }

  /// Finds the fields of the record at `start`; they count from there.
  private mutating func scan(upTo limit: Int, isWhole: Bool) -> Scan {
    fields.removeAll(keepingCapacity: true)
    let start = start
    let delimiter = delimiter
    let longest = limits.recordBytes
    var stray = false
    var swallowed = false
    var found: [DelimitedRecord.Field] = fields
    defer {
      fields = found
      hasStrayQuote = stray
      hasSwallowed = swallowed
    }
    return buffer.withUnsafeBufferPointer { bytes in
      var position = start
      var lines = 1
      while true {
        var first = position
        while first < limit, bytes[first] == 0x20 { first += 1 }
        if first < limit, bytes[first] == 0x22 {
          position = first + 1
          var isEscaped = false
          var close: Int?
          while position < limit, close == nil {
            let byte = bytes[position]
            if byte == 0x22 {
              if position + 1 < limit, bytes[position + 1] == 0x22 {
                isEscaped = true
                position += 2
                continue
              }
              var after = position + 1
              while after < limit, bytes[after] == 0x20 { after += 1 }
              if after == limit, !isWhole { return .needsMore }
              if after == limit || bytes[after] == delimiter || bytes[after] == 0x0A
                || bytes[after] == 0x0D
              {
                close = position
                position = after
              } else {
                stray = true
                let before = bytes[position - 1]
                let isFirst = before == delimiter || before == 0x0A || before == 0x0D
                if lines > 1, isFirst { swallowed = true }
                position += 1
              }
            } else {
              let isPair =
                byte == 0x0D && position + 1 < limit && bytes[position + 1] == 0x0A
              if byte == 0x0A || (byte == 0x0D && !isPair) {
                lines += 1
                if position - start > longest { return .needsMore }
              }
              position += 1
            }
          }
          guard let close else { return .needsMore }
          found.append(.init(start: first + 1 - start, end: close - start, isEscaped: isEscaped))
        } else {
          let begin = position
          position = first
          while position < limit {
            let byte = bytes[position]
            if byte == delimiter || byte == 0x0A || byte == 0x0D { break }
            position += 1
          }
          found.append(.init(start: begin - start, end: position - start))
        }
        guard position < limit else {
          return isWhole ? .record(end: position, after: position, lines: lines) : .needsMore
        }
        if bytes[position] == delimiter {
          position += 1
          continue
        }
        guard bytes[position] == 0x0D else {
          return .record(end: position, after: position + 1, lines: lines)
        }
        if position + 1 == limit, !isWhole { return .needsMore }
        let isPair = position + 1 < limit && bytes[position + 1] == 0x0A
        return .record(end: position, after: position + (isPair ? 2 : 1), lines: lines)
      }
    }
  }

  /// Reads the line at `start` on its own.
  private mutating func firstLine() -> DelimitedRecord? {
    let end = buffer[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? buffer.count
    if end == buffer.count, !isFinished, end - start <= limits.recordBytes { return nil }
    if end - start > limits.recordBytes { return beginningOfLongLine(end) }
    var after = end
    if end < buffer.count {
      if buffer[end] == 0x0D, end + 1 == buffer.count, !isFinished { return nil }
      let isPair = buffer[end] == 0x0D && end + 1 < buffer.count && buffer[end + 1] == 0x0A
      after += isPair ? 2 : 1
    }
    cutLine(upTo: end)
    guard fields.count == columns else {
      return finishRecord(end: end, after: after, lines: 1, fault: .unclosedQuote)
    }
    return finishRecord(end: end, after: after, lines: 1, isRepaired: true)
  }

  /// Cuts one line into fields; a quote that does not close on it is text.
  private mutating func cutLine(upTo end: Int) {
    fields.removeAll(keepingCapacity: true)
    var position = start
    while true {
      var first = position
      while first < end, buffer[first] == 0x20 { first += 1 }
      var close: Int?
      var isEscaped = false
      if first < end, buffer[first] == 0x22 {
        var cursor = first + 1
        while cursor < end, close == nil {
          if buffer[cursor] == 0x22 {
            if cursor + 1 < end, buffer[cursor + 1] == 0x22 {
              isEscaped = true
              cursor += 2
              continue
            }
            var after = cursor + 1
            while after < end, buffer[after] == 0x20 { after += 1 }
            if after == end || buffer[after] == delimiter {
              close = cursor
              fields.append(
                .init(start: first + 1 - start, end: cursor - start, isEscaped: isEscaped)
              )
              position = after
            }
          }
          cursor += 1
        }
      }
      if close == nil {
        let next = buffer[position..<end].firstIndex(of: delimiter) ?? end
        fields.append(.init(start: position - start, end: next - start))
        position = next
      }
      guard position < end else { return }
      position += 1
    }
  }

  /// Gives out the beginning of a line that is longer than a record may be, and passes the rest.
  private mutating func beginningOfLongLine(_ end: Int) -> DelimitedRecord {
    let record = DelimitedRecord(
      line: nextLine,
      bytes: Array(buffer[start..<start + limits.recordBytes]),
      fault: .tooLong,
      isRepaired: false,
      fields: []
    )
    start = end
    isSkipping = true
    return record
  }

  /// Passes the rest of a long line; false if its end has not come yet.
  private mutating func skipsRest() -> Bool {
    start = buffer[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? buffer.count
    guard start < buffer.count else { return false }
    let isReturn = buffer[start] == 0x0D
    if isReturn, start + 1 == buffer.count, !isFinished { return false }
    start += isReturn && start + 1 < buffer.count && buffer[start + 1] == 0x0A ? 2 : 1
    nextLine += 1
    isSkipping = false
    return true
  }

  private mutating func finishRecord(
    end: Int,
    after: Int,
    lines: Int,
    fault: DelimitedRecord.Fault? = nil,
    isRepaired: Bool = false
  ) -> DelimitedRecord {
    let fault = fault ?? (fields.count > limits.columns ? .tooManyFields : nil)
    let record = DelimitedRecord(
      line: nextLine,
      bytes: Array(buffer[start..<min(end, start + limits.recordBytes)]),
      fault: fault,
      isRepaired: isRepaired || hasStrayQuote,
      fields: fault == nil ? fields : []
    )
    start = after
    nextLine += lines
    return record
  }
}
