module skewer.dev/requests

go 1.26.0

require skewer.dev/conversation v0.0.0

replace skewer.dev/conversation => ../conversation
