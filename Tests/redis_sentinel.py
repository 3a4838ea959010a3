"""A Redis with a replica, and a sentinel that replaces the one by the other."""

import pathlib

from redis import Redis, free_port, until


class _Sentinel(Redis):
    """Takes a master that has been gone for half a second for dead."""

    def __init__(self, master):
        self._master = master
        super().__init__(tcp=True)

    def _starting(self, options, append_only):
        file = pathlib.Path(self.folder, "sentinel.conf")
        file.write_text("\n".join([
            "bind 127.0.0.1", f"port {self.port}", f"unixsocket {self.socket}", f"dir {self.folder}",
            f"sentinel monitor pins 127.0.0.1 {self._master.port} 1", "sentinel down-after-milliseconds pins 500",
            "sentinel failover-timeout pins 3000", ""]))
        return [str(self.program), str(file), "--sentinel"]


class Sentinel:
    """All three. `environment` is what a node needs to use them."""

    def __init__(self, patience):
        self._servers = []
        try:
            self.master = self._add(Redis(tcp=True, patience=patience))
            self.replica = self._add(Redis("--replicaof", "127.0.0.1", str(self.master.port), tcp=True))
            # One that has nothing yet can't take over; and what is written gets there only a while after what there was.
            until(lambda: b"master_link_status:up" in self.replica.command("INFO", "replication"))
            self.master.command("SET", "written", "yes")
            until(lambda: self.replica.command("GET", "written") == b"yes")
            self.sentinel = self._add(_Sentinel(self.master))
            until(lambda: len(self.sentinel.command("SENTINEL", "REPLICAS", "pins")) == 1)
        except BaseException:
            self.stop()
            raise
        self.environment = {
            # The first of the two isn't there.
            **self.master.environment,
            "PINPAD_STORE": f"redis+sentinel://127.0.0.1:{free_port()},127.0.0.1:{self.sentinel.port}/pins"}

    def _add(self, server):
        self._servers.append(server)
        return server

    def stop(self):
        for server in reversed(self._servers):
            if server.process.poll() is None:
                server.go_on()
            server.stop()
