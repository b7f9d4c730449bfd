import ConformanceVectors

/// The vectors built into this library; they need no resource bundle.
public enum ConformanceSuite: Sendable {
  /// The names and the bytes of the files.
  public static let files: [(name: String, bytes: [UInt8])] = {
    let list = UnsafeBufferPointer(
      start: freshet_vector_files(),
      count: freshet_vector_file_count()
    )
    return list.map { file in
      (String(cString: file.name), Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
    }
  }()

  /// Reads all vectors.
  ///
  /// - Throws: ``DocumentError`` if a file violates the grammar, or if two files use the same
  ///   identifier.
  public static func vectors() throws(DocumentError) -> [ConformanceVector] {
    try vectors(of: files)
  }

  /// Reads the vectors of some files.
  ///
  /// - Throws: ``DocumentError``, as ``vectors()`` does.
  public static func vectors(
    of files: [(name: String, bytes: [UInt8])]
  ) throws(DocumentError) -> [ConformanceVector] {
    var vectors: [ConformanceVector] = []
    var homes: [String: String] = [:]
    for file in files {
      for vector in try ConformanceVector.decode(file.bytes, file: file.name) {
        if let home = homes.updateValue(file.name, forKey: vector.id) {
          throw DocumentError(
            file: file.name,
            vector: vector.id,
            member: "id",
            problem: "is in \(home) as well"
          )
        }
        vectors.append(vector)
      }
    }
    return vectors
  }
}
