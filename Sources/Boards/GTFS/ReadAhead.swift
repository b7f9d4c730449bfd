import Dispatch
import Synchronization

/// Reads a source on a thread of its own, a few blocks ahead, so that inflating and parsing overlap.
package final class ReadAhead: ByteSource {
  private let shared: Shared
  private var block: [UInt8] = []
  private var position = 0

  /// Starts to read.
  ///
  /// - Parameters:
  ///   - source: Read from the other thread only, from now on; one at a time of each archive.
  ///   - depth: The most blocks that wait to be parsed.
  package init(_ source: any ByteSource, depth: Int = 4) {
    let shared = Shared(source, depth: depth)
    self.shared = shared
    DispatchQueue(label: "freshet.read-ahead").async { shared.run() }
  }

  deinit { shared.stop() }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FeedError) -> Int {
    if position == block.count {
      block = try shared.next()
      position = 0
    }
    let count = min(buffer.count, block.count - position)
    guard count > 0 else { return 0 }
    block.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]))
    }
    position += count
    return count
  }

  /// The state shared by the two threads; the semaphores say whose turn it is.
  private final class Shared: @unchecked Sendable {
    /// Released by the reading thread before it reports the end: an archive is used by one thread at
    /// a time.
    private var source: (any ByteSource)?
    private let full = DispatchSemaphore(value: 0)
    private let free = DispatchSemaphore(value: 0)
    private let state = Mutex(State())

    private struct State {
      var blocks: [Result<[UInt8], FeedError>] = []
      var isStopped = false
      var isFinished = false
    }

    init(_ source: any ByteSource, depth: Int) {
      self.source = source
      // Raised here and not by its initial value: libdispatch traps when a semaphore is released
      // below its initial value, as happens when reading ends early.
      for _ in 0..<depth { free.signal() }
    }

    func run() {
      while true {
        free.wait()
        guard !state.withLock({ $0.isStopped }) else { return }
        let next = readBlock()
        switch next {
        case .success(let block) where !block.isEmpty: break
        default: source = nil
        }
        state.withLock { $0.blocks.append(next) }
        full.signal()
        switch next {
        case .success(let block) where !block.isEmpty: continue
        default: return
        }
      }
    }

    private func readBlock() -> Result<[UInt8], FeedError> {
      var failure: FeedError?
      let block = [UInt8](unsafeUninitializedCapacity: FeedLimits.blockBytes) { buffer, count in
        while count < buffer.count {
          let rest = UnsafeMutableRawBufferPointer(
            UnsafeMutableBufferPointer(rebasing: buffer[count...])
          )
          do throws(FeedError) {
            guard let read = try source?.read(into: rest), read > 0 else { return }
            count += read
          } catch {
            failure = error
            return
          }
        }
      }
      return failure.map { .failure($0) } ?? .success(block)
    }

    func next() throws(FeedError) -> [UInt8] {
      guard !state.withLock({ $0.isFinished }) else { return [] }
      full.wait()
      let next = state.withLock { $0.blocks.removeFirst() }
      free.signal()
      switch next {
      case .success(let block):
        if block.isEmpty { state.withLock { $0.isFinished = true } }
        return block
      case .failure(let error):
        state.withLock { $0.isFinished = true }
        throw error
      }
    }

    func stop() {
      state.withLock { $0.isStopped = true }
      free.signal()
    }
  }
}
