import Glibc
import Testing
import WipingScratch

@Suite struct ScratchTests {
  @Test func `pieces are apart, aligned and as large as asked for`() throws {
    var pieces: [(UnsafeMutableRawPointer, Int)] = []
    for size in [1, 15, 16, 17, 100, 0, 700, 1, 1500, 5000, 3] {
      let piece = try #require(scratch_take(size))
      #expect(Int(bitPattern: piece) % 16 == 0)
      memset(piece, Int32(pieces.count + 1), size)
      pieces.append((piece, size))
    }
    for (index, (piece, size)) in pieces.enumerated() {
      let bytes = UnsafeRawBufferPointer(start: piece, count: size)
      #expect(bytes.allSatisfy { $0 == UInt8(index + 1) }, "piece \(index)")
    }
    for (piece, _) in pieces { scratch_give_back(piece) }
    scratch_give_back(nil)
  }

  /// Under AddressSanitizer each piece is one of the heap.
  static var isOneBlock: Bool {
    let first = scratch_take(32)
    let second = scratch_take(32)
    defer {
      scratch_give_back(first)
      scratch_give_back(second)
    }
    return first.map { $0 + 32 } == second
  }

  @Test(.enabled(if: isOneBlock, "with AddressSanitizer there is no block"))
  func `the first piece after all came back has its place, and zeros in it`() throws {
    let first = try #require(scratch_take(32))
    let second = try #require(scratch_take(32))
    memset(first, 0x37, 32)
    memset(second, 0x38, 32)
    scratch_give_back(first)
    // One is still out: nothing is handed out twice.
    let third = try #require(scratch_take(32))
    #expect(third == second + 32)
    scratch_give_back(second)
    scratch_give_back(third)
    let again = try #require(scratch_take(64))
    defer { scratch_give_back(again) }
    #expect(again == first)
    #expect(UnsafeRawBufferPointer(start: again, count: 64).allSatisfy { $0 == 0 })
  }

  @Test func `it can be filled to its end, again and again`() throws {
    for _ in 0..<1000 {
      let pieces = (0..<200).map { _ in scratch_take(16) }
      #expect(Set(pieces).count == 200)
      for piece in pieces { scratch_give_back(piece) }
    }
  }
}
