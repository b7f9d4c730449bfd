/// A resource of any type, as a name in the client's directory.
struct ResourceName: Hashable, Sendable {
  private let resource: any FreshResource

  /// Names a resource.
  init(_ resource: any FreshResource) { self.resource = resource }

  /// Resources of different types are never equal.
  static func == (left: ResourceName, right: ResourceName) -> Bool {
    equals(left.resource, right.resource)
  }

  private static func equals<R: FreshResource>(_ left: R, _ right: any FreshResource) -> Bool {
    left == right as? R
  }

  /// Hashes the resource.
  func hash(into hasher: inout Hasher) { resource.hash(into: &hasher) }
}
