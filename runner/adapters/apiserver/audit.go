//go:build !release_1_20 && !release_1_22

package main

import (
	"context"

	"k8s.io/apiserver/pkg/audit"
)

func withAudit(ctx context.Context) context.Context { return audit.WithAuditContext(ctx) }
