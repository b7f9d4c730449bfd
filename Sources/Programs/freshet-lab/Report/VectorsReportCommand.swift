import ArgumentParser
import Commands
import Foundation
import FreshnessTesting
import ParityReport

/// `freshet-lab report vectors`.
struct VectorsReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vectors",
    abstract: "Show the conformance vectors of every build in one table.",
    discussion: """
      This program runs the vectors it carries in the native build of the engine. The files are what \
      other builds made of the same vectors: Tests/EngineWasm/run-vectors.mjs writes one for the \
      WebAssembly build under node, and the test of the page one for a browser. The exit code is 0 if \
      every vector passes in every build, 1 if one does not or a build has no results, and 64 if the \
      options are wrong.

        freshet-lab report vectors wasm.json
      """
  )

  @Argument(help: "Results of other builds.")
  var files: [String] = []

  @Option(help: "Write what every build made of every vector to a JSON file as well.")
  var json: String?

  func run() throws {
    let vectors = try VectorProof.vectors()
    let proofs = [VectorProof.native(vectors)] + files.map { VectorProof.results($0) }
    let table = VectorTable(
      vectors.map { VectorTable.Vector(id: $0.id, file: $0.file) },
      proofs: proofs
    )
    if let json {
      do {
        try Data(table.json.utf8).write(to: URL(fileURLWithPath: json), options: .atomic)
      } catch {
        try ReportFile.fail(
          "\(json): cannot be written: \(error.localizedDescription)",
          .cannotCreate
        )
      }
    }
    guard Terminal.write(table.text) else { throw ExitCode(.inputOutput) }
    guard table.isPassed else { throw ExitCode(.negative) }
  }
}
