import CPostgres

/// The rows that a statement returned.
package final class PostgresRows: @unchecked Sendable {
  // A result is not changed after it is complete, and libpq allows reading it on any thread.
  private let result: OpaquePointer
  /// How many rows there are.
  package let count: Int
  /// How many rows the statement inserted, updated or deleted.
  package let changed: Int

  /// Takes over a complete result.
  init(_ result: OpaquePointer) {
    self.result = result
    count = Int(PQntuples(result))
    changed = PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
  }

  deinit { PQclear(result) }

  /// The first row, if any.
  package var first: PostgresRow? { count > 0 ? self[0] : nil }

  /// A row.
  package subscript(row: Int) -> PostgresRow {
    precondition((0..<count).contains(row))
    return PostgresRow(rows: self, number: Int32(row))
  }

  /// Reads each row.
  package func map<Value>(_ read: (PostgresRow) throws -> Value) rethrows -> [Value] {
    try (0..<count).map { try read(self[$0]) }
  }

  fileprivate func field<Value>(
    _ row: Int32,
    _ column: Int32,
    _ read: (_ type: UInt32, UnsafeRawBufferPointer?) -> Value?
  ) throws(PostgresError) -> Value {
    let isKnown = column >= 0 && column < PQnfields(result)
    if isKnown {
      let bytes: UnsafeRawBufferPointer? =
        PQgetisnull(result, row, column) == 1
        ? nil
        : UnsafeRawBufferPointer(
          start: PQgetvalue(result, row, column),
          count: Int(PQgetlength(result, row, column))
        )
      if let value = read(PQftype(result, column), bytes) { return value }
    }
    throw PostgresError(.invalidValue, "column \(column) does not hold a \(Value.self)")
  }
}

/// A row of a result.
package struct PostgresRow {
  fileprivate let rows: PostgresRows
  fileprivate let number: Int32

  /// The value of a column, from 0.
  ///
  /// - Throws: `PostgresError.Kind.invalidValue` if the column is missing, of another type, or `NULL` for a type that is
  ///   not optional.
  package subscript<Value: PostgresReadable>(column: Int) -> Value {
    get throws(PostgresError) {
      try rows.field(number, Int32(column)) { type, bytes in Value(type: type, binary: bytes) }
    }
  }
}

/// A value that can be read from a column in binary form.
package protocol PostgresReadable {
  /// Reads a value; `nil` if the column is of another type.
  ///
  /// - Parameters:
  ///   - type: The number of the type in `pg_type`.
  ///   - binary: The bytes; `nil` for `NULL`.
  init?(type: UInt32, binary: UnsafeRawBufferPointer?)
}

extension Int64: PostgresReadable {
  package init?(type: UInt32, binary: UnsafeRawBufferPointer?) {
    guard let binary else { return nil }
    switch (type, binary.count) {
    case (20, 8): self.init(bigEndian: binary.loadUnaligned(as: Int64.self))
    case (23, 4): self.init(Int32(bigEndian: binary.loadUnaligned(as: Int32.self)))
    case (21, 2): self.init(Int16(bigEndian: binary.loadUnaligned(as: Int16.self)))
    default: return nil
    }
  }
}

extension Int: PostgresReadable {
  package init?(type: UInt32, binary: UnsafeRawBufferPointer?) {
    guard let value = Int64(type: type, binary: binary) else { return nil }
    self.init(exactly: value)
  }
}

extension Double: PostgresReadable {
  package init?(type: UInt32, binary: UnsafeRawBufferPointer?) {
    guard let binary, type == 701, binary.count == 8 else { return nil }
    self.init(bitPattern: UInt64(bigEndian: binary.loadUnaligned(as: UInt64.self)))
  }
}

extension Bool: PostgresReadable {
  package init?(type: UInt32, binary: UnsafeRawBufferPointer?) {
    guard let binary, type == 16, binary.count == 1 else { return nil }
    self = binary[0] != 0
  }
}

extension String: PostgresReadable {
  package init?(type: UInt32, binary: UnsafeRawBufferPointer?) {
    // name, text, varchar
    guard let binary, [19, 25, 1_043].contains(type) else { return nil }
    self.init(decoding: binary, as: UTF8.self)
  }
}

extension [UInt8]: PostgresReadable {
  package init?(type: UInt32, binary: UnsafeRawBufferPointer?) {
    guard let binary, type == 17 else { return nil }
    self.init(binary)
  }
}

extension Optional: PostgresReadable where Wrapped: PostgresReadable {
  package init?(type: UInt32, binary: UnsafeRawBufferPointer?) {
    guard let binary else {
      self = .none
      return
    }
    guard let value = Wrapped(type: type, binary: binary) else { return nil }
    self = .some(value)
  }
}
