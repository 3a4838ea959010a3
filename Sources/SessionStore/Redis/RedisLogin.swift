/// What a connection says first.
package struct RedisLogin: Equatable, Sendable {
  /// Without one the password is that of the user `default`.
  package var user: String?
  package var password: String?
  /// The number of the database.
  package var database = 0

  package init(user: String? = nil, password: String? = nil, database: Int = 0) {
    self.user = user
    self.password = password
    self.database = database
  }

  /// The commands that do it; none if there is nothing to say.
  var commands: [[RedisArgument]] {
    var commands: [[RedisArgument]] = []
    if let password {
      commands.append(["AUTH"] + (user.map { [.text($0)] } ?? []) + [.text(password)])
    }
    if database != 0 { commands.append(["SELECT", .number(Int64(database))]) }
    return commands
  }
}
