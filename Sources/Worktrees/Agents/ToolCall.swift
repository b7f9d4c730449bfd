/// A tool that was called and has not answered.
package struct ToolCall: Hashable, Sendable {
  /// The call's id.
  package var id: String
  /// The tool's name.
  package var name: String
  /// Its purpose, in a few words.
  package var detail: String?
  /// When it was called.
  package var since: WallTime
  /// Whether it responds within seconds unless it asks for permission.
  package var isQuick: Bool
  /// Whether the call itself says that a human is asked first.
  package var asksFirst: Bool

  /// A call.
  package init(
    id: String,
    name: String,
    detail: String? = nil,
    since: WallTime,
    isQuick: Bool = false,
    asksFirst: Bool = false
  ) {
    self.id = id
    self.name = name
    self.detail = detail
    self.since = since
    self.isQuick = isQuick
    self.asksFirst = asksFirst
  }
}
