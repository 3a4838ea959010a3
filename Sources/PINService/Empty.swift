enum EmptyPINService {}
