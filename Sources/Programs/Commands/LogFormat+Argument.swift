import ArgumentParser
import Serving

extension LogFormat: ExpressibleByArgument {}
