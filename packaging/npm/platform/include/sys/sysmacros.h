#pragma once
// WASI's library has no names for the parts of a device number. Its devices are not split.

#define major(device) 0U
#define minor(device) static_cast<unsigned>(device)
