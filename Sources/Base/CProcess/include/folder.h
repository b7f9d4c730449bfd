#ifndef FRESHET_FOLDER_H
#define FRESHET_FOLDER_H

/// Opens a folder in another one without following a link and without leave to read it.
///
/// Returns a descriptor, or -1 with `errno`.
int folder_open(int parent, const char *name);

/// Moves a name from one folder to another, never over something that is there. Returns 0, or the number of an error.
int folder_move(int from, const char *name, int to, const char *other);

#endif
