import PINEntry
import Testing

@Suite struct SessionIDTests {
  @Test(arguments: [
    (UInt64(0), UInt64(0), "AAAAAAAAAAAAAAAAAAAAAA"),
    (.max, .max, "_____________________w"),
    (0x0001_0203_0405_0607, 0x0809_0A0B_0C0D_0E0F, "AAECAwQFBgcICQoLDA0ODw"),
  ]) func `an id is written in 22 characters of base64url, and read again`(high: UInt64, low: UInt64, text: String) {
    let id = SessionID(high: high, low: low)
    #expect(id.text == text)
    #expect(read(text) == id)
  }

  @Test(arguments: [
    "", "AAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAB", "AAAAAAAAAAAAAAAAAAAAA=",
    "+AAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAA/AAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAÄ", "AAAAAAAAAAAAAAAAAAAAA\0",
  ]) func `what is written otherwise is no id`(text: String) {
    #expect(read(text) == nil)
  }

  private func read(_ text: String) -> SessionID? { Array(text.utf8).withUnsafeBytes { SessionID($0) } }

  @Test func `any id is read as it was written`() {
    for _ in 0..<1000 {
      let id = SessionID(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max))
      #expect(read(id.text) == id)
    }
  }
}
