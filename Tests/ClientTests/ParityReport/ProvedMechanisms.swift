import ParityReport

/// A mechanism table whose vectors all passed.
enum ProvedMechanisms {
  static let vectors = (1...11).map {
    MechanismTable.Vector(id: "row-\($0)", covers: ["seed 000 row \($0)"])
  }

  static func table() throws -> MechanismTable {
    let results = Dictionary(uniqueKeysWithValues: vectors.map { ($0.id, [String]()) })
    return MechanismTable(
      vectors: vectors,
      proofs: [
        BuildProof(build: "native", source: "a test", mismatches: results),
        BuildProof(build: "WebAssembly", source: "a test", mismatches: results),
      ]
    )
  }
}
