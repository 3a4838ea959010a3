import PINService
import Testing

@Suite struct `The capacity` {
  static func capacity(
    _ fileLimit: Int, connections: Int = 0, streams: Int = 0, perAddress: (Int, Int) = (0, 0), workers: Int = 2
  ) -> Capacity {
    var configuration = Configuration()
    configuration.connections = connections
    configuration.streams = streams
    configuration.connectionsPerAddress = perAddress.0
    configuration.streamsPerAddress = perAddress.1
    configuration.workers = workers
    return Capacity(configuration, fileLimit: fileLimit)
  }

  @Test func `comes from the limit of open files`() {
    let usual = Self.capacity(20_000)
    #expect(usual.connections == 4096 && usual.streams == 15_832)
    #expect(usual.connectionsPerAddress == 256 && usual.streamsPerAddress == 989)
    #expect(usual.warning == nil)
    let small = Self.capacity(500)
    #expect(small.connections == 107 && small.streams == 321)
    #expect(small.connectionsPerAddress == 16 && small.streamsPerAddress == 64)
    #expect(small.warning == "the limit of open files is 500: there are at most 107 connections and 321 streams")
    #expect(Self.capacity(1_048_576).streams == 100_000)
  }

  @Test func `is what the settings say where the limit allows it`() {
    let asked = Self.capacity(20_000, connections: 100, streams: 200, perAddress: (3, 4))
    #expect(asked.connections == 100 && asked.streams == 200)
    #expect(asked.connectionsPerAddress == 3 && asked.streamsPerAddress == 4)
    #expect(asked.warning == nil)
    #expect(Self.capacity(300, connections: 100, streams: 100).warning == nil)
  }

  @Test func `is less, and says so, where it doesn't`() {
    let asked = Self.capacity(1024, connections: 512, streams: 15_000)
    #expect(asked.connections == 512 && asked.streams == 440)
    #expect(asked.warning == "the limit of open files is 1024: there are at most 512 connections and 440 streams")
    let more = Self.capacity(1024, connections: 4096, streams: 10)
    #expect(more.connections == 951 && more.streams == 1)
    #expect(more.warning != nil)
  }

  @Test func `leaves as many descriptors as a small cluster takes`() {
    var configuration = Configuration()
    configuration.connections = 10_000
    configuration.store = "redis+cluster://a.example"
    configuration.redisConnections = 100
    #expect(Capacity(configuration, fileLimit: 2000).connections == 2000 - 72 - 300 - 1)
  }

  @Test func `is not taken up by those who ask Redis where the limit is low`() {
    var configuration = Configuration()
    configuration.store = "redis://a.example"
    let few = Capacity(configuration, fileLimit: 200)
    #expect(few.waiters == 12 && few.connections == 23 && few.streams == 69)
    #expect(
      few.warning == "the limit of open files is 200: there are at most 23 connections and 69 streams, "
        + "and 12 requests may ask Redis at a time")
    let usual = Capacity(configuration, fileLimit: 20_000)
    #expect(usual.waiters == 64 && usual.warning == nil)
    #expect(Capacity(Configuration(), fileLimit: 200).waiters == 0)
  }

  @Test(arguments: [1, 64, 73, 100, 256, 1000, 1024, 4096, 20_000, 32_768, 1_048_576])
  func `leaves a reserve whatever is asked for`(limit: Int) {
    for connections in [0, 1, 100, 5000] {
      for streams in [0, 1, 100, 50_000] {
        for workers in [1, 2, 64] {
          let found = Self.capacity(limit, connections: connections, streams: streams, workers: workers)
          #expect(found.connections >= 1 && found.streams >= 1)
          let reserve = 64 + 4 * workers
          #expect(found.connections + found.streams <= max(2, limit - reserve))
        }
      }
    }
  }
}
