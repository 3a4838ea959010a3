import CellSVG
import Glibc
import PINService
import WipingBuffer

/// The program: does what the options ask for.
enum Program {
  static let version = "1.0.0"

  /// Of sysexits.h: something in the configuration is wrong.
  static let configurationIsWrong: Int32 = 78

  static func main() -> Never {
    Process.secure()
    let options = Options(Array(CommandLine.arguments.dropFirst()))
    // From here on a signal ends the service as it should, also one that comes while it starts.
    if options.action == .serve { Signals.block() }
    var loading = Loading(options)
    switch options.action {
    case .printVersion: finish("pinpad \(version)\n")
    case .printHelp: finish(help)
    // A file that has come to have mistakes says nothing of the service, which goes on with what it has read.
    case .checkHealth where options.mistakes.isEmpty: checkHealth(loading.reader.configuration)
    case .checkHealth: refuse(options.mistakes)
    case .serve, .checkConfiguration, .printConfiguration: break
    }
    let styles = loading.styles()
    if !loading.reader.mistakes.isEmpty { refuse(loading.reader.mistakes) }
    switch options.action {
    case .checkConfiguration: finish("the configuration is right\n")
    case .printConfiguration:
      var text = Bytes()
      loading.reader.configuration.write(to: &text)
      _ = text.withBytes { Files.write($0, to: STDOUT_FILENO) }
      exit(0)
    default: exit(Service.run(options, loading, styles))
    }
  }

  private static func refuse(_ mistakes: [String]) -> Never {
    for mistake in mistakes { Files.writeError("pinpad: \(mistake)\n") }
    exit(configurationIsWrong)
  }

  private static func finish(_ text: String) -> Never {
    Files.writeOut(text)
    exit(0)
  }

  private static func checkHealth(_ configuration: Configuration) -> Never {
    switch Health.check(configuration) {
    case .ready: exit(0)
    case .notReady: Files.writeError("pinpad: \(configuration.listen) is not ready\n")
    case .silent: Files.writeError("pinpad: \(configuration.listen) does not answer\n")
    }
    exit(1)
  }

  private static var help: String {
    """
    pinpad: an HTTP service for PIN entry sessions

      --config FILE     read settings from a JSON file
      --listen PLACE    HOST:PORT (port 0: any; IPv6 in brackets) or unix:PATH
      --store STORE     memory, or a Redis: redis://HOST:PORT and others
      --check-config    say whether the configuration is right, and end
      --print-config    print all settings as they are, keys masked, and end
      --health          ask the service at the configured place whether it is ready, and end with 0 or 1
      --version, --help

    Flags come before the environment, that before the file, that before the defaults. Settings and their variables:

    \(Configuration.help)

    """
  }
}
