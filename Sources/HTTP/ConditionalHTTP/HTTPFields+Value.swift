package import HTTPTypes

extension HTTPFields {
  /// Returns the value of a field as the subscript does, without a copy of it where there is one such field.
  ///
  /// Servers read fields of every request and response; the subscript joins what it finds into a new text.
  package func value(of name: HTTPField.Name) -> String? {
    var found: String?
    for field in self where field.name == name {
      guard found == nil else { return self[name] }
      found = field.value
    }
    return found
  }
}
