import Foundation
import NIOSSL
import Synchronization

/// The certificate that a server shows, replaced when its files change.
///
/// Connections that are open keep the one that they began with; new ones get the newest. Files that are wrong replace
/// nothing.
package final class ServerCertificate: Sendable {
  /// What a check of the files found.
  package enum Finding: Hashable, Sendable {
    /// The files are those in use, or were already found to be wrong, or may still be changing.
    case nothing
    /// New files are in use; the instant at which they expire, in seconds since 1970.
    case replaced(expires: Double)
    /// The new files are wrong; those before stay in use.
    case rejected(TLSFileError)
  }

  private struct State {
    var credential: TLSCredential
    /// The files that were read last, whether they are in use or not.
    var read: TLSFileState
    /// The files at the last check.
    var seen: TLSFileState
    var replacements = 0
    var rejections = 0
    /// Whether the files are wrong now.
    var isRejected = false
    /// The fewest days for which a warning was given.
    var warned = Int.max
  }

  /// Where certificate and key are.
  package let files: TLSFiles
  private let state: Mutex<State>

  /// Reads the files.
  ///
  /// - Parameters:
  ///   - files: The files.
  ///   - now: The time in seconds since 1970.
  /// - Throws: ``TLSFileError`` if they are not the valid certificate of a server with its key.
  package init(
    _ files: TLSFiles,
    now: Double = ServerCertificate.machineTime
  )
    throws(TLSFileError)
  {
    self.files = files
    let seen = TLSFileState(of: files)
    let credential = try TLSCredential(files, now: now)
    state = Mutex(State(credential: credential, read: seen, seen: seen))
  }

  /// The clock of the machine, in seconds since 1970: certificates are of the present whatever a replay shows.
  package static var machineTime: Double { Date.now.timeIntervalSince1970 }

  /// What new connections speak TLS with.
  var context: NIOSSLContext { state.withLock { $0.credential.context } }

  /// When the certificate in use expires, in seconds since 1970.
  package var expires: Double { state.withLock { $0.credential.expires } }

  /// Reads the files again if they have changed.
  ///
  /// - Parameters:
  ///   - isAsked: Whether a person asked for it: files are read even if they have not changed, or have just changed.
  ///   - now: The time in seconds since 1970.
  /// - Returns: What was found.
  package func check(isAsked: Bool = false, now: Double = ServerCertificate.machineTime) -> Finding
  {
    let found = TLSFileState(of: files)
    let isDue = state.withLock { state in
      defer { state.seen = found }
      return isAsked || found != state.read && found == state.seen
    }
    guard isDue else { return .nothing }
    do throws(TLSFileError) {
      let credential = try TLSCredential(files, now: now)
      state.withLock { state in
        state.credential = credential
        state.read = found
        state.replacements += 1
        state.isRejected = false
        state.warned = .max
      }
      return .replaced(expires: credential.expires)
    } catch {
      state.withLock { state in
        state.read = found
        state.rejections += 1
        state.isRejected = true
      }
      return .rejected(error)
    }
  }

  /// How many days are left, once each time that one of ``TLSLimits/warningDays`` is reached.
  ///
  /// - Returns: The whole days; negative if the certificate has expired; `nil` if there is nothing to say.
  package func warning(now: Double = ServerCertificate.machineTime) -> Int? {
    state.withLock { state in
      let days = Int(((state.credential.expires - now) / 86_400).rounded(.down))
      let reached = days < 0 ? -1 : TLSLimits.warningDays.filter { days < $0 }.min()
      guard let reached, reached < state.warned else { return nil }
      state.warned = reached
      return days
    }
  }

  /// Whether the certificate is valid for a while, and the files of the newest one could be used.
  package func dependency(now: Double = ServerCertificate.machineTime) -> DependencyReading {
    let state = state.withLock { $0 }
    let expires = state.credential.expires
    if now > expires {
      let detail = "\(files.certificate): expired on \(TLSCredential.date(expires))"
      return DependencyReading("certificate", .degraded, detail: detail)
    }
    if state.isRejected {
      let detail = "\(files.certificate): the new files are wrong; the log says why"
      return DependencyReading("certificate", .degraded, detail: detail)
    }
    let warned = Double(TLSLimits.warningDays.max() ?? 0) * 86_400
    guard expires - now < warned else { return DependencyReading("certificate", .ok) }
    let detail = "\(files.certificate): expires on \(TLSCredential.date(expires))"
    return DependencyReading("certificate", .degraded, detail: detail)
  }

  /// Writes when the certificate expires, and how often it was replaced.
  package func write(to metrics: inout MetricsText) {
    let state = state.withLock { $0 }
    metrics.add(
      "freshet_tls_certificate_expires_seconds",
      .gauge,
      "When the certificate in use expires, in seconds since 1970",
      state.credential.expires
    )
    metrics.add(
      "freshet_tls_certificate_rejected",
      .gauge,
      "1 if the files of certificate and key are wrong, and those before are in use",
      state.isRejected ? 1 : 0
    )
    metrics.add(
      "freshet_tls_certificate_loads_total",
      .counter,
      "Changes of the files of certificate and key, by what came of them",
      [
        (labels: [("result", "replaced")], value: Double(state.replacements)),
        (labels: [("result", "rejected")], value: Double(state.rejections)),
      ]
    )
  }
}
