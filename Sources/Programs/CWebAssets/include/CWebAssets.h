#ifndef FRESHET_WEB_ASSETS_H
#define FRESHET_WEB_ASSETS_H

#include <stddef.h>

/// A file of the web board, inside the program.
typedef struct {
  /// The file's name, such as "board.css".
  const char *_Nonnull name;
  /// The file's bytes.
  const unsigned char *_Nonnull bytes;
  size_t count;
} FreshetWebAsset;

/// All files, ended by the count.
const FreshetWebAsset *_Nonnull freshet_web_assets(void);
size_t freshet_web_asset_count(void);

#endif
