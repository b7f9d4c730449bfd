#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The cost of a piece of work to the process.
struct Cost {
  /// Processor time of all threads, in seconds.
  var processorSeconds: Double
  /// Growth of the resident memory, in bytes.
  var bytes: Double
}

/// Reads the process's own meters.
enum Meter {
  /// Processor time of all threads so far, in seconds.
  static var processorSeconds: Double {
    var usage = rusage()
    // RUSAGE_SELF is 0 everywhere, and of another type on each platform.
    getrusage(0, &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  /// The resident memory now, in bytes; 0 where the kernel does not tell.
  static var bytes: Double {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
    let text = String(
      decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
      as: UTF8.self
    )
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
    return pages * Double(getpagesize())
  }

  /// Measures a piece of work.
  static func cost(_ work: () async throws -> Void) async rethrows -> Cost {
    let before = (processorSeconds, bytes)
    try await work()
    return Cost(processorSeconds: processorSeconds - before.0, bytes: bytes - before.1)
  }
}
