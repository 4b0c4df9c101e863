//go:build release_1_20 || release_1_22

package main

import "context"

// withAudit does nothing: the handlers of this release do not need an audit context.
func withAudit(ctx context.Context) context.Context { return ctx }
