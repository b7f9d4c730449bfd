/// The results of every conformance vector in every build of the engine, as one table.
package struct VectorTable: Sendable {
  /// A vector: its id, and its file.
  package struct Vector: Hashable, Sendable {
    /// The id.
    package var id: String
    /// The name of the file.
    package var file: String

    /// Creates a vector.
    package init(id: String, file: String) {
      self.id = id
      self.file = file
    }
  }

  /// The maximum number of failures that the text lists for one build.
  package static let mostListed = 20

  /// The vectors, in the order of their files.
  package let vectors: [Vector]
  /// The builds.
  package let proofs: [BuildProof]

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - vectors: All vectors.
  ///   - proofs: The results of each build.
  package init(_ vectors: [Vector], proofs: [BuildProof]) {
    self.vectors = vectors
    self.proofs = proofs
  }

  /// Whether there are vectors, and every one of them passed in every build.
  package var isPassed: Bool {
    !vectors.isEmpty
      && proofs.allSatisfy { proof in
        vectors.allSatisfy { proof.mismatches?[$0.id]?.isEmpty ?? false }
      }
  }

  /// The table for people: a row for each file, a column for each build, then the failures.
  package var text: String {
    let head = ["vectors", "there are"] + proofs.map(\.build)
    var rows = files.map { file in row(file, vectors.filter { $0.file == file }) }
    rows.append(row("all", vectors))
    var lines = [head] + rows
    for column in head.indices {
      let width = lines.map { $0[column].count }.max() ?? 0
      for row in lines.indices {
        let spaces = String(repeating: " ", count: width - lines[row][column].count)
        lines[row][column] = column == 0 ? lines[row][column] + spaces : spaces + lines[row][column]
      }
    }
    var text = lines.map { $0.joined(separator: "  ") + "\n" }.joined() + "\n"
    for proof in proofs { text += "\(proof.build): \(proof.source)\n" }
    for proof in proofs { text += failures(proof) }
    return text + "verdict: \(isPassed ? "PASS" : "FAIL")\n"
  }

  private var files: [String] {
    vectors.reduce(into: []) { if $0.last != $1.file { $0.append($1.file) } }
  }

  private func row(_ name: String, _ vectors: [Vector]) -> [String] {
    [name, "\(vectors.count)"]
      + proofs.map { proof in
        guard let results = proof.mismatches else { return "no results" }
        let failed = vectors.count { !(results[$0.id]?.isEmpty ?? false) }
        return failed == 0 ? "\(vectors.count) passed" : "\(failed) FAILED"
      }
  }

  private func failures(_ proof: BuildProof) -> String {
    guard let results = proof.mismatches else { return "" }
    let failed = vectors.filter { !(results[$0.id]?.isEmpty ?? false) }
    let listed = failed.prefix(Self.mostListed).map { vector in
      let reason = results[vector.id].map { $0.first ?? "" } ?? "there is no result"
      return "FAIL  \(proof.build)  \(vector.id): \(reason)\n"
    }
    let rest = failed.count - listed.count
    return listed.joined() + (rest > 0 ? "      and \(rest) more\n" : "")
  }

  /// The table for programs: each vector with its differences in each build; `null` without a
  /// result.
  package var json: String {
    let rows = vectors.map { vector in
      let results = proofs.map { proof in
        proof.mismatches?[vector.id].map { ReportJSON.list($0.map(ReportJSON.quoted)) } ?? "null"
      }
      return ReportJSON.object([
        ("id", ReportJSON.quoted(vector.id)), ("file", ReportJSON.quoted(vector.file)),
        ("results", ReportJSON.list(results)),
      ])
    }
    return ReportJSON.object([
      ("builds", ReportJSON.list(proofs.map { ReportJSON.quoted($0.build) })),
      ("passed", "\(isPassed)"), ("vectors", ReportJSON.list(rows)),
    ]) + "\n"
  }
}
