/// The scripts that sessions are read and written by. They compare, write and read; what an edit does is not theirs.
enum SessionScripts {
  /// What both begin with. `whole` answers with all there is of a session: Redis's time in ms, `other`, the record, the
  /// sealed text, the remembered changes, and the events from the newest known one on.
  private static let common = """
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    local stamp = redis.call('GETRANGE', KEYS[1], 1, 8)
    local function whole(known)
      local record = redis.call('GET', KEYS[1])
      if not record then return {now, 'gone'} end
      local from = known
      if known == '0' then from = '-' end
      return {now, 'other', record, redis.call('GET', KEYS[2]) or '', redis.call('LRANGE', KEYS[4], 0, -1),
        redis.call('XRANGE', KEYS[3], from, '+')}
    end

    """

  /// `KEYS` are those of `RedisKeys`. `ARGV`: the stamp that is known, the id of the newest event that is known.
  /// Answers `same`, `gone`, or with all there is.
  static let look = RedisScript(
    common + """
      if stamp ~= '' and stamp == ARGV[1] then return {now, 'same'} end
      return whole(ARGV[2])
      """)

  /// Commits one edit, if the record is still the one that it was made on: all of it or nothing, as long as Redis lets its
  /// user do all of it, which `RedisTrial` has tried. The events come first: without them a record can't be read. And what
  /// needs memory comes first: a Redis that is full refuses a script's first write only, and not what follows it.
  ///
  /// `ARGV`: 1 the stamp of that record, empty for a new session; 2 the new stamp; 3 the time at which the edit was made,
  /// or nothing; 4 the new record; 5 when it goes, in ms; 6 the sealed text, `-` for none, empty for the same as before;
  /// 7 when that goes; 8 a change to remember, or nothing; 9 `-` if all that are remembered are to go; 10 the id of the
  /// newest event before; 11 the channel; then the new events.
  ///
  /// Answers `made`; `late` if Redis's time is another than the edit's, as when it comes out of a queue that stood still:
  /// nobody waits for it any more; or else with all there is. `made` also if it had been made already, so that it may be
  /// sent again when a reply was lost.
  static let commit = RedisScript(commitText)

  /// The same for an edit that frees memory, also in the long run: a Redis that is full makes it all the same. The flag
  /// is known to Redis 7.0; besides it only forbids keys of several slots, of which there are none.
  static let freeingCommit = RedisScript("#!lua flags=allow-oom\n" + commitText)

  private static let commitText =
    common + """
      if stamp == ARGV[2] then return {now, 'made'} end
      if stamp ~= ARGV[1] then return whole(ARGV[10]) end
      if ARGV[3] ~= '' and math.abs(now - ARGV[3]) > 1000 then return {now, 'late'} end
      for index = 12, #ARGV do
        redis.call('XADD', KEYS[3], 'MAXLEN', '256', (ARGV[10] + index - 11) .. '-0', 'e', ARGV[index])
      end
      redis.call('SET', KEYS[1], ARGV[4], 'PXAT', ARGV[5])
      redis.call('PEXPIREAT', KEYS[3], ARGV[5])
      if ARGV[6] == '-' then
        redis.call('DEL', KEYS[2])
      elseif ARGV[6] ~= '' then
        redis.call('SET', KEYS[2], ARGV[6], 'PXAT', ARGV[7])
      else
        redis.call('PEXPIREAT', KEYS[2], ARGV[7])
      end
      if ARGV[9] == '-' then
        redis.call('DEL', KEYS[4])
      elseif ARGV[8] ~= '' then
        redis.call('RPUSH', KEYS[4], ARGV[8])
        redis.call('LTRIM', KEYS[4], -32, -1)
      end
      redis.call('PEXPIREAT', KEYS[4], ARGV[5])
      redis.call('PUBLISH', ARGV[11], ARGV[2])
      return {now, 'made'}
      """
}
