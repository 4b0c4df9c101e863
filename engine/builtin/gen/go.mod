module skewer.dev/gen

go 1.26.0
