module skewer.dev/conversation

go 1.26.0
