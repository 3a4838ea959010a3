print("pinpad")
