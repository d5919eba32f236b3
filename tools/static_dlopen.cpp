// Implements dlopen() for the static command: nothing can be loaded. The library of debuginfod
// would bring a C library of its own, whose threads were never prepared: it crashes when it looks
// for a server's address, and neither C library may free memory of the other.

extern "C" {
void* __wrap_dlopen(const char* name, int mode);
}

void* __wrap_dlopen(const char*, int) { return nullptr; }
