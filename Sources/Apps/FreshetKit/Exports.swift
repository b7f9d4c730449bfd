// Everything that a public signature of the libraries for apps mentions, in one import.

@_exported public import ConditionalHTTP
@_exported public import EventFeed
@_exported public import Freshness
@_exported public import FreshnessRuntime
@_exported public import HTTPTypes
@_exported public import Jobs
@_exported public import JobsClient
@_exported public import Stationboard
@_exported public import StationboardClient
@_exported public import StrictJSON
@_exported public import TolerantDecoding
@_exported public import URLSessionTransport
@_exported public import Workspaces
@_exported public import WorkspacesClient
