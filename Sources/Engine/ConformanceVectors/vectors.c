#include "ConformanceVectors.h"

// The files under Vectors/ become part of the library: it needs no resource bundle. Each file is
// named once here; a test compares this list with the folder.

#define VECTORS(identifier)                                                                        \
  { identifier##_name, identifier##_bytes, sizeof(identifier##_bytes) }

static const char requests_name[] = "requests.json";
static const unsigned char requests_bytes[] = {
#embed "Vectors/requests.json"
};

static const char schedule_name[] = "schedule.json";
static const unsigned char schedule_bytes[] = {
#embed "Vectors/schedule.json"
};

static const char answers_name[] = "answers.json";
static const unsigned char answers_bytes[] = {
#embed "Vectors/answers.json"
};

static const char shown_name[] = "shown.json";
static const unsigned char shown_bytes[] = {
#embed "Vectors/shown.json"
};

static const char recorded_name[] = "recorded.json";
static const unsigned char recorded_bytes[] = {
#embed "Vectors/recorded.json"
};

static const char hints_name[] = "hints.json";
static const unsigned char hints_bytes[] = {
#embed "Vectors/hints.json"
};

static const char degraded_name[] = "degraded.json";
static const unsigned char degraded_bytes[] = {
#embed "Vectors/degraded.json"
};

static const char seed_000_name[] = "seed-000.json";
static const unsigned char seed_000_bytes[] = {
#embed "Vectors/seed-000.json"
};

static const char catnip_name[] = "catnip.json";
static const unsigned char catnip_bytes[] = {
#embed "Vectors/catnip.json"
};

static const char peers_name[] = "peers.json";
static const unsigned char peers_bytes[] = {
#embed "Vectors/peers.json"
};

static const char mesdeparts_name[] = "mesdeparts.json";
static const unsigned char mesdeparts_bytes[] = {
#embed "Vectors/mesdeparts.json"
};

static const char trust_name[] = "trust.json";
static const unsigned char trust_bytes[] = {
#embed "Vectors/trust.json"
};

static const FreshetVectorFile files[] = {
  VECTORS(requests),
  VECTORS(schedule),
  VECTORS(answers),
  VECTORS(shown),
  VECTORS(recorded),
  VECTORS(hints),
  VECTORS(degraded),
  VECTORS(seed_000),
  VECTORS(catnip),
  VECTORS(peers),
  VECTORS(mesdeparts),
  VECTORS(trust),
};

const FreshetVectorFile *freshet_vector_files(void) { return files; }

size_t freshet_vector_file_count(void) { return sizeof(files) / sizeof(files[0]); }
