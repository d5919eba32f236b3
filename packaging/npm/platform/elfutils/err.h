// elfutils includes it and uses nothing of it where it is a library.
