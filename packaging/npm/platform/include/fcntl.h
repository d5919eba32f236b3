#pragma once
// A descriptor that stands for a path alone (O_PATH) is one for reading here. Files without a name
// (O_TMPFILE) don't exist: opening a directory for writing fails, after which evname makes one with
// a name.
#include_next <fcntl.h>

#define F_DUPFD_CLOEXEC 1030
#define O_PATH O_RDONLY
#define O_TMPFILE O_DIRECTORY
