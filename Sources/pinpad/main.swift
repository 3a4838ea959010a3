// Everything is elsewhere: what stands in this file belongs to the main actor, and libmicrohttpd's threads do not.
Program.main()
