/// The limits of a scan.
package struct ScanLimits: Hashable, Sendable {
  /// The longest photo, in bytes.
  package var photoBytes = 24 << 20
  /// The most pixels of a photo; read from its header, before anything decodes it.
  ///
  /// Cameras sold with 50 megapixels have up to 8,192 × 6,144.
  package var pixels = 8_192 * 6_144
  /// The longest side of a photo, in pixels.
  package var longestSide = 16_000
  /// Photos are made smaller than this before they are read, in pixels of the longer side.
  package var workingSide = 3_000
  /// The most scans of a JPEG: each one is a pass over the whole picture.
  package var scans = 64
  /// The most memory that one tool may address, in bytes.
  package var toolMemory = 2 << 30
  /// The largest file that one tool may write, in bytes: what does not fit into memory.
  package var toolFile = 1 << 30
  /// The most files that one tool may have open.
  package var toolFiles = 64
  /// The longest time one tool may take, and the longest time of a processor.
  package var toolTime = Duration.seconds(60)
  /// The most bytes a tool may print.
  package var toolBytes = 8 << 20
  /// The most books of one photo.
  package var books = 200

  /// The usual limits.
  package init() {}
}
