enum EmptySessionStore {}
