module skewer.dev/kep-1027

go 1.26.0

require (
	skewer.dev/conversation v0.0.0
	skewer.dev/requests v0.0.0
)

replace (
	skewer.dev/conversation => ../internal/conversation
	skewer.dev/requests => ../internal/requests
)
