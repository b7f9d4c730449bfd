// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Declarations of the parts of SwiftUI that the screens of Examples use, so that a machine without SwiftUI can check that
// they fit the models. Nothing here draws.

@_exported import Foundation

@MainActor
public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension Never: View { public var body: Never { fatalError("a view without parts") } }

@resultBuilder
@MainActor
public enum ViewBuilder {
  public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock() -> Empty { Empty() }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: View>(
    _ content: repeat each Content
  ) -> Group<
    (repeat each Content)
  > { Group() }
  public static func buildIf<Content: View>(_ content: Content?) -> Group<Content?> { Group() }
}

public struct Empty: View { public var body: Never { fatalError("no parts") } }
public struct Group<Content>: View {
  init() {}
  public var body: Never { fatalError("no parts") }
}

public struct Text: View {
  public init<Content: StringProtocol>(_ text: Content) {}
  public var body: Never { fatalError("no parts") }
}

public struct Button<Label>: View {
  public init<Title: StringProtocol>(_ title: Title, action: @escaping @MainActor () -> Void)
  where Label == Text {}
  public var body: Never { fatalError("no parts") }
}

public struct ProgressView: View {
  public init<Title: StringProtocol, Value: BinaryFloatingPoint>(_ title: Title, value: Value?) {}
  public var body: Never { fatalError("no parts") }
}

public struct List<Content: View>: View {
  public init<Data: RandomAccessCollection, ID: Hashable>(
    _ data: Data,
    id: KeyPath<Data.Element, ID>,
    @ViewBuilder rowContent: @escaping (Data.Element) -> Content
  ) {}
  public var body: Never { fatalError("no parts") }
}

public struct VStack<Content: View>: View {
  public init(@ViewBuilder content: () -> Content) {}
  public var body: Never { fatalError("no parts") }
}

public struct TabView<Content: View>: View {
  public init(@ViewBuilder content: () -> Content) {}
  public var body: Never { fatalError("no parts") }
}

public struct Modified: View { public var body: Never { fatalError("no parts") } }

public enum VerticalEdge { case top, bottom }
public struct Font { public static var footnote: Font { Font() } }

extension View {
  public func navigationTitle<Title: StringProtocol>(_ title: Title) -> Modified { Modified() }
  public func refreshable(action: @escaping @Sendable () async -> Void) -> Modified { Modified() }
  public func task(
    @_inheritActorContext _ action: @escaping @isolated(any) @Sendable () async -> Void
  ) -> Modified {
    Modified()
  }
  public func disabled(_ isDisabled: Bool) -> Modified { Modified() }
  public func font(_ font: Font?) -> Modified { Modified() }
  public func safeAreaInset<Content: View>(
    edge: VerticalEdge,
    @ViewBuilder content: () -> Content
  ) -> Modified { Modified() }
}

@propertyWrapper
public struct State<Value> {
  public init(wrappedValue: Value) { stored = wrappedValue }
  public var wrappedValue: Value {
    get { stored }
    nonmutating set {}
  }
  private let stored: Value
}

@MainActor
public protocol Scene {}

@MainActor
public protocol App {
  associatedtype Body: Scene
  @SceneBuilder var body: Body { get }
  init()
}

extension App { public static func main() {} }

@resultBuilder
@MainActor
public enum SceneBuilder {
  public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public struct WindowGroup<Content: View>: Scene {
  public init(@ViewBuilder content: () -> Content) {}
}
