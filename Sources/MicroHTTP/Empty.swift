enum EmptyMicroHTTP {}
