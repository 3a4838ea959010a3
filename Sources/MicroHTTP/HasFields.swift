/// What has header fields: an answer, and the head of a stream.
package protocol HasFields: ~Copyable {
  /// Adds a field.
  mutating func setHeader(_ name: StaticString, _ value: StaticString)

  /// Adds a field; CR, LF and NUL in its value are left out.
  mutating func setHeader(_ name: StaticString, text value: String)
}
