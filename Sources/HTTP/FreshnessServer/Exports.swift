@_exported public import ConditionalHTTP
@_exported public import EventFeed
@_exported public import FreshResponses
