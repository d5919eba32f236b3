module github.com/evname/evname/packaging/go

go 1.19
