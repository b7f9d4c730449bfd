#ifndef FRESHET_CONFORMANCE_VECTORS_H
#define FRESHET_CONFORMANCE_VECTORS_H

#include <stddef.h>

/// A file of conformance vectors, inside the library.
typedef struct {
  /// The file's name, such as "requests.json".
  const char *_Nonnull name;
  /// The file's bytes: JSON in UTF-8.
  const unsigned char *_Nonnull bytes;
  size_t count;
} FreshetVectorFile;

/// All files, ended by the count.
const FreshetVectorFile *_Nonnull freshet_vector_files(void);
size_t freshet_vector_file_count(void);

#endif
