/// A zip archive written by Python's zipfile, which knows nothing of the code under test.
struct ZipFile {
  let folder: TemporaryFolder
  let path: String

  func remove() { folder.remove() }

  /// Runs a few lines of Python that fill the open archive `z`.
  init(python: String) throws {
    folder = try TemporaryFolder()
    path = folder.path + "/feed.zip"
    let program = """
      import zipfile
      with zipfile.ZipFile("feed.zip", "w", zipfile.ZIP_DEFLATED) as z:
      \(python.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
      """
    do {
      try folder.run("python3", ["-c", program])
    } catch {
      folder.remove()
      throw error
    }
  }

  /// Writes members with these texts.
  init(_ members: [String: String]) throws {
    let lines = members.sorted { $0.key < $1.key }
      .map { name, text in
        "z.writestr(\"\(name)\", bytes.fromhex(\"\(text.utf8.map(Self.hex).joined())\"))"
      }
    try self.init(python: lines.joined(separator: "\n"))
  }

  private static func hex(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return digits.utf8.count == 1 ? "0" + digits : digits
  }

  /// Changes the archive's bytes in place.
  func damage(_ change: (inout [UInt8]) throws -> Void) throws {
    var bytes = try folder.read("feed.zip")
    try change(&bytes)
    try folder.write(bytes, to: "feed.zip")
  }
}
