/// The stable codes of what is refused over HTTP and in notices.
public enum JobProblemCode: String, CaseIterable, Hashable, Sendable {
  case invalidRequest = "invalid_request"
  case unknownPipeline = "unknown_pipeline"
  case pipelineUnavailable = "pipeline_unavailable"
  case unsupportedMediaType = "unsupported_media_type"
  case tooSlow = "too_slow"
  case tooLarge = "too_large"
  case emptyBatch = "empty_batch"
  case batchTooLarge = "batch_too_large"
  case tokenMissing = "token_missing"
  case tokenInvalid = "token_invalid"
  case tokenExpired = "token_expired"
  case notFound = "job_not_found"
  case noTable = "no_failed_rows"
  case notFinished = "job_not_finished"
  case expired = "job_expired"
  case idempotencyMismatch = "idempotency_mismatch"
  case busy
  case tooManyStarts = "too_many_starts"
  case unknownMessage = "unknown_message"
  case invalidMessage = "invalid_message"
}
