//go:build release_4

package main

import (
	"context"
	"time"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/kube"
	releasecommon "helm.sh/helm/v4/pkg/release/common"
	release "helm.sh/helm/v4/pkg/release/v1"

	"skewer.dev/clients"
)

func main() {
	// The name that the command line sets.
	kube.ManagedFieldsManager = "helm"
	clients.Main(clients.Client{
		Name:   "Helm",
		Module: "helm.sh/helm/v4",
		Tools:  []string{"helm4", "helm4-csa"},
		Apply:  apply,
	})
}

func apply(ctx context.Context, exchange *clients.Exchange) error {
	configuration := action.NewConfiguration()
	if err := configuration.Init(getter(exchange), exchange.Namespace, "memory"); err != nil {
		return err
	}
	chrt := &chart.Chart{
		Metadata:  &chart.Metadata{APIVersion: "v2", Name: chartName, Version: "0.1.0"},
		Templates: []*common.File{{Name: chartFile, Data: []byte(chartTemplate)}},
	}
	isServerSide := exchange.Tool == "helm4"
	if exchange.Previous == nil {
		install := action.NewInstall(configuration)
		install.ReleaseName, install.Namespace = releaseName, exchange.Namespace
		install.WaitStrategy = kube.HookOnlyStrategy
		install.ServerSideApply, install.ForceConflicts = isServerSide, exchange.Force
		_, err := install.RunWithContext(ctx, chrt, values(exchange.Manifest))
		return refused(err)
	}
	method := release.ApplyMethodClientSideApply
	if exchange.PreviousTool == "helm4" {
		method = release.ApplyMethodServerSideApply
	}
	now := time.Now()
	err := configuration.Releases.Create(&release.Release{
		Name:        releaseName,
		Namespace:   exchange.Namespace,
		Version:     1,
		Chart:       chrt,
		Config:      values(exchange.Previous),
		Manifest:    rendered(exchange.Previous),
		ApplyMethod: string(method),
		Info:        &release.Info{Status: releasecommon.StatusDeployed, FirstDeployed: now, LastDeployed: now},
	})
	if err != nil {
		return err
	}
	upgrade := action.NewUpgrade(configuration)
	upgrade.Namespace = exchange.Namespace
	upgrade.WaitStrategy = kube.HookOnlyStrategy
	upgrade.ServerSideApply, upgrade.ForceConflicts = "false", exchange.Force
	if isServerSide {
		upgrade.ServerSideApply = "true"
	}
	_, err = upgrade.RunWithContext(ctx, releaseName, chrt, values(exchange.Manifest))
	return refused(err)
}
