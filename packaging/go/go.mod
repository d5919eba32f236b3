module evname.example/go

go 1.19
