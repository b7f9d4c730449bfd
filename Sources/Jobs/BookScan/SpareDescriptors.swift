#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Whether the process can open some more files.
///
/// swift-subprocess ends the process if it cannot make all pipes of a program that it starts
/// (`CreatedPipe`, 1.0.2): so its callers look first.
package enum SpareDescriptors {
  /// The descriptors that starting a program takes: two pipes, the file beside them, and what else is opened meanwhile.
  package static let ofProgram = 16

  /// Opens so many files, and closes them again.
  package static func areThere(_ count: Int = ofProgram) -> Bool {
    var opened: [Int32] = []
    defer { for descriptor in opened { close(descriptor) } }
    while opened.count < count {
      let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return false }
      opened.append(descriptor)
    }
    return true
  }
}
