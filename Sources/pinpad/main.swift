import Glibc
import MicroHTTP
import PINService
import SessionStore

do {
  try Program.run(arguments: Array(CommandLine.arguments.dropFirst()))
} catch {
  print("pinpad: \(error)")
  exit(1)
}
