#ifndef FRESHET_WEB_ASSETS_H
#define FRESHET_WEB_ASSETS_H

#include <stddef.h>

/// How a file is served.
typedef enum __attribute__((enum_extensibility(closed))) {
  /// Under /assets/, with the hash of its content in its name.
  FreshetWebAssetHashed,
  /// A page, under a path of its own.
  FreshetWebAssetPage,
  /// Under a path of its own, as it is.
  FreshetWebAssetDocument,
} FreshetWebAssetKind;

/// A file of the pages, inside the program.
typedef struct {
  /// The file's name, such as "index.css".
  const char *_Nonnull name;
  /// The first digits of the SHA-256 of the bytes, in hexadecimal.
  const char *_Nonnull hash;
  FreshetWebAssetKind kind;
  const unsigned char *_Nonnull bytes;
  size_t count;
  /// The bytes with gzip; null if there is no such copy.
  const unsigned char *_Nullable gzip;
  size_t gzip_count;
  /// The bytes with brotli; null if there is no such copy.
  const unsigned char *_Nullable brotli;
  size_t brotli_count;
} FreshetWebAsset;

/// All files, ended by the count.
const FreshetWebAsset *_Nonnull freshet_web_assets(void);
size_t freshet_web_asset_count(void);

#endif
