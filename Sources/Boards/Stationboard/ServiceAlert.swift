/// A disruption, in the language asked for (`banners[]`, `departures[].alerts[]`).
public struct ServiceAlert: Codable, Hashable, Sendable {
  /// Names the alert.
  public var id: String
  /// The severity, as GTFS-Realtime names it.
  public var severity: String?
  /// Its effect on the service, such as `DETOUR`.
  public var effect: String?
  /// Why, such as `CONSTRUCTION`.
  public var cause: String?
  /// One line.
  public var header: String?
  /// The whole text.
  public var description: String?
  /// Where there is more to read.
  public var url: String?
  /// The cause in the agency's words.
  public var causeDetail: String?
  /// The effect in the agency's words.
  public var effectDetail: String?
  /// An image.
  public var image: Image?

  /// An image of an alert.
  public struct Image: Codable, Hashable, Sendable {
    /// Its address.
    public var url: String
    /// What it shows, in words.
    public var alternativeText: String?

    /// Creates an image.
    public init(url: String, alternativeText: String? = nil) {
      self.url = url
      self.alternativeText = alternativeText
    }
  }

  init(
    id: String,
    severity: String? = nil,
    effect: String? = nil,
    cause: String? = nil,
    header: String? = nil,
    description: String? = nil,
    url: String? = nil
  ) {
    self.id = id
    self.severity = severity
    self.effect = effect
    self.cause = cause
    self.header = header
    self.description = description
    self.url = url
  }

  /// Reads an alert; one without an id is named by its text, as the seed's schema allows.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    header = try members.decodeIfPresent(String.self, forKey: .header)
    description = try members.decodeIfPresent(String.self, forKey: .description)
    id = try members.decodeIfPresent(String.self, forKey: .id) ?? header ?? description ?? ""
    severity = try members.decodeIfPresent(String.self, forKey: .severity)
    effect = try members.decodeIfPresent(String.self, forKey: .effect)
    cause = try members.decodeIfPresent(String.self, forKey: .cause)
    url = try members.decodeIfPresent(String.self, forKey: .url)
    causeDetail = try members.decodeIfPresent(String.self, forKey: .causeDetail)
    effectDetail = try members.decodeIfPresent(String.self, forKey: .effectDetail)
    image = try members.decodeIfPresent(Image.self, forKey: .image)
  }
}
