import Glibc

/// Asks again and again until it's true, where there is nothing that could tell; throws if it isn't in time.
func waitUntil(seconds: Int = 60, _ condition: () throws -> Bool) throws {
  var start = timespec()
  clock_gettime(CLOCK_MONOTONIC, &start)
  while try !condition() {
    usleep(5000)
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    guard now.tv_sec - start.tv_sec < seconds else {
      throw ChildProcess.Failure(description: "what was waited for did not come")
    }
  }
}
