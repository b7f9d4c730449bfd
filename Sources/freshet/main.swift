import Hummingbird
import ArgumentParser
print("hi")
