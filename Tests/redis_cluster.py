"""Three Redis servers, each with a third of the slots, and slots that move between them."""

from redis import Redis, free_port, until

THIRDS = [(0, 5460), (5461, 10922), (10923, 16383)]


class Cluster:
    """`environment` is what a node needs to use it."""

    def __init__(self, patience):
        self.servers = []
        try:
            ports = [free_port() for _ in THIRDS]
            for port in ports:
                self.servers.append(Redis(
                    "--cluster-enabled", "yes", "--cluster-port", str(port), "--cluster-node-timeout", "10000",
                    tcp=True, patience=patience))
            for server, (first, last) in zip(self.servers, THIRDS):
                server.command("CLUSTER", "ADDSLOTSRANGE", first, last)
            for server, port in zip(self.servers[1:], ports[1:]):
                self._meet(server, port)
            for server in self.servers:
                until(lambda: self._is_well(server))
        except BaseException:
            self.stop()
            raise
        addresses = ",".join(f"127.0.0.1:{server.port}" for server in self.servers)
        self.environment = {**self.servers[0].environment, "PINPAD_STORE": f"redis+cluster://{addresses}"}

    def _meet(self, server, port):
        """Makes the first one know another, which it gives up after a while without a word."""
        name = server.command("CLUSTER", "MYID")
        meeting = ("CLUSTER", "MEET", "127.0.0.1", server.port, port)

        def is_known():
            if name in self.servers[0].command("CLUSTER", "NODES"):
                return True
            self.servers[0].command(*meeting)
            return False

        until(is_known)

    @staticmethod
    def _is_well(server):
        information = server.command("CLUSTER", "INFO")
        return b"cluster_state:ok" in information and b"cluster_known_nodes:3" in information

    def stop(self):
        for server in self.servers:
            server.stop()

    def slot(self, session):
        """The one in which a session's keys are."""
        return self.servers[0].command("CLUSTER", "KEYSLOT", f"pinpad:{{{session.id}}}:record")

    def holder(self, slot):
        """The server that has a slot."""
        for server in self.servers:
            for first, last, (_, port, *_), *_ in server.command("CLUSTER", "SLOTS"):
                if first <= slot <= last and port == server.port:
                    return server
        raise AssertionError(f"nobody has the slot {slot}")

    @staticmethod
    def _owner(slot, server):
        """The port of the server that has a slot, as one of them knows it."""
        return next((port for first, last, (_, port, *_), *_ in server.command("CLUSTER", "SLOTS")
                     if first <= slot <= last), None)

    def move(self, slot):
        """Moves a slot with its keys to the next server, key by key, as redis-cli does; tells how many there were."""
        source = self.holder(slot)
        target = self.servers[(self.servers.index(source) + 1) % len(self.servers)]
        names = [server.command("CLUSTER", "MYID") for server in (source, target)]
        target.command("CLUSTER", "SETSLOT", slot, "IMPORTING", names[0])
        source.command("CLUSTER", "SETSLOT", slot, "MIGRATING", names[1])
        moved = 0
        # Until none comes any more.
        while keys := source.command("CLUSTER", "GETKEYSINSLOT", slot, 1000):
            for key in keys:
                source.command("MIGRATE", "127.0.0.1", target.port, key, 0, 5000)
                moved += 1
        for server in (target, source):
            server.command("CLUSTER", "SETSLOT", slot, "NODE", names[1])
        # Moved again before the third one has heard of it, they may never agree again.
        until(lambda: all(self._owner(slot, server) == target.port for server in self.servers))
        return moved
