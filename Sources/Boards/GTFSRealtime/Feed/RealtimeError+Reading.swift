extension RealtimeError {
  /// Calls a function with the bytes of an array, and throws what it throws as the type it is.
  static func reading<Feed>(
    _ bytes: [UInt8],
    _ read: (UnsafeRawBufferPointer) throws(RealtimeError) -> Feed
  ) throws(RealtimeError) -> Feed {
    try bytes.withUnsafeBytes { buffer in
      Result { () throws(RealtimeError) in try read(buffer) }
    }
    .get()
  }
}
