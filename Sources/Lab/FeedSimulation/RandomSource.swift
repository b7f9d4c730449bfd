import Hashing

/// A random source whose samples depend only on a key and a purpose, never on the order of the
/// calls.
///
/// The same seed gives the same world at any instant, regardless of earlier queries. The mixing
/// function is the finalizer of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
/// number generators").
struct RandomSource: Hashable, Sendable {
  /// The purpose of a sample; purposes are independent.
  enum Purpose: UInt64 {
    case world = 1
    case jitter
    case fault
    case faultDetail
    case trip
    case tracked
    case outcome
    case announcement
    case startDelay
    case startAmount
    case early
    case step
    case stepAmount
    case shock
    case shockPlace
    case shockAmount
    case place
    case length
    case gap
    case gapPlace
    case silence
    case silencePlace
    case silenceLength
    case platform
    case platformChoice
    case platformLead
    case platformForm
    case extra
    case extraKind
    case extraOffset
    case extraRun
    case style
    case incident
    case incidentCause
    case direction
    case alert
    case alertDetail
    case language
    case link
    case vehicle
    case load
  }

  private let key: UInt64

  /// Creates a random source from a seed.
  init(seed: UInt64) { key = SplitMix64.mix(seed &+ SplitMix64.increment) }

  private init(key: UInt64) { self.key = key }

  /// Returns the random source of one thing among many, such as a trip or a tick.
  func of(_ purpose: Purpose, _ number: UInt64) -> RandomSource {
    RandomSource(
      key: SplitMix64.mix(bits(purpose) ^ SplitMix64.mix(number &+ 0x632B_E59B_D9B4_E019))
    )
  }

  /// Returns the random source of one thing among many, by its name.
  func of(_ purpose: Purpose, _ name: UnsafeRawBufferPointer) -> RandomSource {
    of(purpose, FNV1a.hash(name))
  }

  /// Returns the random source of one thing among many, by its name.
  func of(_ purpose: Purpose, named name: String) -> RandomSource {
    var name = name
    return name.withUTF8 { of(purpose, UnsafeRawBufferPointer($0)) }
  }

  /// Returns sixty-four bits.
  func bits(_ purpose: Purpose) -> UInt64 {
    SplitMix64.mix(key &+ purpose.rawValue &* SplitMix64.increment)
  }

  /// Returns sixty-four bits for one of several positions.
  func bits(_ purpose: Purpose, _ index: Int) -> UInt64 {
    SplitMix64.mix(bits(purpose) &+ UInt64(truncatingIfNeeded: index) &* 0xD1B5_4A32_D192_ED03)
  }

  /// Returns a whole number between two bounds, both included.
  func within(_ bounds: ClosedRange<Int>, _ purpose: Purpose, _ index: Int = 0) -> Int {
    bounds.lowerBound + Int(bits(purpose, index) % UInt64(bounds.count))
  }

  /// Returns true with a probability in permille.
  func isHit(_ permille: Int, _ purpose: Purpose, _ index: Int = 0) -> Bool {
    Int(bits(purpose, index) % 1_000) < permille
  }
}
