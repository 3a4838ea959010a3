/// A request as its bytes say it.
struct AskedRequest: Equatable {
  let method: [UInt8]
  let body: [UInt8]

  /// All requests that are in `bytes` by RFC 9112, up to the first that is not whole, that is wrong, or that has to be
  /// refused here: with a folded line, a Transfer-Encoding, two lengths, or a Host too few or too many.
  static func all(in bytes: UnsafeRawBufferPointer) -> [AskedRequest] {
    var rest = Lines(bytes)
    var requests: [AskedRequest] = []
    while let request = next(&rest) { requests.append(request) }
    return requests
  }

  private static func next(_ rest: inout Lines) -> AskedRequest? {
    // Empty lines in front are allowed (section 2.2); libmicrohttpd takes one that begins with a NUL for such a line.
    var first = rest.next()
    while let line = first, line.first ?? 0 == 0 { first = rest.next() }
    guard let words = first?.split(whereSeparator: { $0 == 0 || isSpace($0) }), let method = words.first,
      isToken(method)
    else {
      return nil
    }
    var hosts = 0
    var lengths: [Int?] = []
    var wasBare = rest.isBare
    while true {
      guard let line = rest.next(), !line.contains(0) else { return nil }
      // The guard can't tell an empty name between LF and CR LF from the end of a head: it too is four bytes long.
      if line.isEmpty || line.elementsEqual(":".utf8) && (wasBare || rest.isBare) { break }
      wasBare = rest.isBare
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), isToken(line[..<colon]) else { return nil }
      let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      if name == "transfer-encoding" { return nil }
      if name == "host" { hosts += 1 }
      if name == "content-length" { lengths.append(number(line[(colon + 1)...])) }
    }
    let isOld = words.last.map { $0.elementsEqual("HTTP/1.0".utf8) } == true
    guard hosts == 1 || isOld && hosts == 0, lengths.count <= 1, let length = lengths.first ?? 0,
      let body = rest.take(length)
    else { return nil }
    return AskedRequest(method: Array(method), body: body)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Section 5.6.2 of RFC 9110.
  private static func isToken(_ text: ArraySlice<UInt8>) -> Bool {
    !text.isEmpty
      && text.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }

  /// A field's value as a length; nil for anything but digits.
  private static func number(_ value: ArraySlice<UInt8>) -> Int? {
    let value = value.drop(while: isSpace)
    let digits = value.prefix { !isSpace($0) }
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    guard value[digits.endIndex...].allSatisfy(isSpace) else { return nil }
    return Int(String(decoding: digits, as: UTF8.self))
  }
}

/// Bytes, read line by line. A line ends with CR LF, or with LF; a CR anywhere else is wrong.
private struct Lines {
  private var rest: ArraySlice<UInt8>
  /// The last line ended with LF alone.
  private(set) var isBare = false

  init(_ bytes: UnsafeRawBufferPointer) { rest = Array(bytes)[...] }

  /// The next line without its end; nil if there is none that is right.
  mutating func next() -> ArraySlice<UInt8>? {
    guard let end = rest.firstIndex(of: 0x0A) else { return nil }
    var line = rest[..<end]
    rest = rest[(end + 1)...]
    isBare = line.last != 0x0D
    if !isBare { line.removeLast() }
    // The guard sees NULs in place of CR and LF, so that it can't tell those that were sent in front of some. They end
    // no line and change no name, length or coding.
    while line.last == 0 {
      line.removeLast()
      isBare = true
    }
    return line.contains(0x0D) && line.first != 0 ? nil : line
  }

  mutating func take(_ count: Int) -> [UInt8]? {
    guard count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }
}
