//go:build release_3_6

package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	engine "github.com/argoproj/argo-cd/gitops-engine/v3/pkg/sync"
	"github.com/argoproj/argo-cd/gitops-engine/v3/pkg/sync/common"
	"github.com/argoproj/argo-cd/gitops-engine/v3/pkg/utils/kube"
	"github.com/argoproj/argo-cd/gitops-engine/v3/pkg/utils/tracing"

	"skewer.dev/clients"
)

const (
	module         = "github.com/argoproj/argo-cd/gitops-engine/v3"
	serverSideTool = "argocd-ssa"
)

// sync synchronizes one object. The options are those of a sync without sync options. Upstream: appStateManager.SyncAppState
// (argoproj/argo-cd, controller/sync.go).
func sync(ctx context.Context, exchange *clients.Exchange, target, live *unstructured.Unstructured) error {
	kubectl := &kube.KubectlCmd{Log: discard, Tracer: tracing.NopTracer{}}
	objects := engine.ReconciliationResult{
		Target: []*unstructured.Unstructured{target},
		Live:   []*unstructured.Unstructured{live},
	}
	synced, cleanup, err := engine.NewSyncContext("", objects, exchange.Config, exchange.Config, kubectl, exchange.Namespace,
		engine.WithLogr(discard),
		engine.WithOperationSettings(false, false, false, false),
		engine.WithInitialState(common.OperationRunning, "", nil, metav1.Now()),
		engine.WithManifestValidation(true),
		engine.WithServerSideApply(exchange.Tool == serverSideTool),
		engine.WithServerSideApplyManager(controller),
	)
	if err != nil {
		return err
	}
	defer cleanup()
	synced.Sync(ctx)
	phase, message, results := synced.GetState()
	if phase == common.OperationSucceeded || phase == common.OperationRunning {
		return nil
	}
	var messages []string
	for _, result := range results {
		messages = append(messages, result.Message)
	}
	return failed(message, messages)
}
