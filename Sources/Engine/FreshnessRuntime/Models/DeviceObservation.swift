public import Foundation
public import Freshness

#if canImport(Network)
import Network
#endif

/// Reports the lifecycle of the app and the network of the device, for as long as it lives.
///
/// On Apple platforms it observes the notifications of UIKit and AppKit (R11) and `NWPathMonitor`
/// (R24, R35). Elsewhere nothing is observed, and the app reports both itself.
public final class DeviceObservation: Sendable {
  /// What happened to the app or the device.
  public enum Event: Hashable, Sendable {
    /// The lifecycle state changed.
    case lifecycle(Lifecycle)
    /// A window gained focus.
    case focused
    /// The network changed.
    case connectivity(Connectivity)
  }

  /// The notifications of the platforms, by the names that UIKit and AppKit give them.
  ///
  /// As names they need neither framework, which app extensions and command-line tools do not have.
  static let notifications: [(name: String, events: [Event])] = [
    ("UIApplicationDidEnterBackgroundNotification", [.lifecycle(.background)]),
    ("UIApplicationWillEnterForegroundNotification", [.lifecycle(.foreground)]),
    ("UIApplicationDidBecomeActiveNotification", [.lifecycle(.foreground), .focused]),
    ("NSApplicationDidHideNotification", [.lifecycle(.background)]),
    ("NSApplicationDidUnhideNotification", [.lifecycle(.foreground)]),
    ("NSApplicationDidBecomeActiveNotification", [.lifecycle(.foreground), .focused]),
    ("NSExtensionHostDidEnterBackgroundNotification", [.lifecycle(.background)]),
    ("NSExtensionHostWillEnterForegroundNotification", [.lifecycle(.foreground)]),
  ]

  private let end: @Sendable () -> Void

  /// Begins to observe.
  ///
  /// - Parameters:
  ///   - center: The notification center of the app.
  ///   - report: Receives what happens, on any thread.
  public init(
    center: NotificationCenter = .default,
    reportingTo report: @escaping @Sendable (Event) -> Void
  ) {
    nonisolated(unsafe) let observers = Self.notifications.map { name, events in
      center.addObserver(forName: Notification.Name(name), object: nil, queue: nil) { _ in
        for event in events { report(event) }
      }
    }
    #if canImport(Network)
    let monitor = NWPathMonitor()
    monitor.pathUpdateHandler = { path in
      let connectivity = Connectivity(
        isReachable: path.status != .unsatisfied,
        isExpensive: path.isExpensive,
        isConstrained: path.isConstrained
      )
      report(.connectivity(connectivity))
    }
    monitor.start(queue: DispatchQueue(label: "freshness.network"))
    end = {
      monitor.cancel()
      for observer in observers { center.removeObserver(observer) }
    }
    #else
    end = { for observer in observers { center.removeObserver(observer) } }
    #endif
  }

  deinit { end() }
}

extension Connectivity {
  /// Creates what is known of the network from a network path.
  ///
  /// - Parameters:
  ///   - isReachable: Whether the path can be used.
  ///   - isExpensive: Whether it is cellular, or a hotspot.
  ///   - isConstrained: Whether the user asked to save data on it.
  public init(isReachable: Bool, isExpensive: Bool, isConstrained: Bool) {
    guard isReachable else {
      self = .offline
      return
    }
    self = isExpensive || isConstrained ? .metered : .online
  }
}

extension FreshnessClient {
  /// Follows the lifecycle of the app and the network of the device while the result lives.
  ///
  /// On platforms other than Apple's, report both with ``lifecycle(_:)`` and ``connectivity(_:)``.
  public func observeDevice(center: NotificationCenter = .default) -> DeviceObservation {
    DeviceObservation(center: center) { [weak self] event in
      switch event {
      case .lifecycle(let lifecycle): self?.lifecycle(lifecycle)
      case .focused: self?.focused()
      case .connectivity(let connectivity): self?.connectivity(connectivity)
      }
    }
  }
}
