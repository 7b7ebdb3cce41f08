module keep-lines

go 1.24
