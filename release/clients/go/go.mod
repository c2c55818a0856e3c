module bellhop.example/client

go 1.23
