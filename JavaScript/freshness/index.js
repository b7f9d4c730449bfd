// The package in one import: a client that keeps resources fresh, and its parts.

export { ageInWords } from "./age-text.js";
export { FreshnessClient } from "./client.js";
export { Device } from "./device.js";
export { Engine, EngineError } from "./freshness.js";
export { FreshnessError } from "./freshness-error.js";
